import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machinePlaces } from '../../src/base/machine-places.ts'
import { sanitizePaths } from '../../src/outcome/paths.ts'

const topLevel = new Set(['etc', 'home', 'mnt', 'usr', 'tmp', 'init'])
const places = { workspace: '/home/ada/project', home: '/home/ada', topLevel }

test.each([
  ['/home/ada/project/src/x.ts', 'src/x.ts'],
  ['/home/ada/project', '.'],
  ['/home/ada/project-two/x', '~/project-two/x'],
  ['/home/ada', '~'],
  ['/home/adam/x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['/usr/lib/', 'lib/'],
  ['run /init.', 'run init.'],
  ["open '/home/ada/with blank/x'", "open '~/with blank/x'"],
  ['open "/etc/a b/c"', 'open "c"'],
  ['at f (/usr/lib/node/x.js:10:5)', 'at f (x.js:10:5)'],
  ['at file:///home/ada/project/x.js:3', 'at x.js:3'],
  ['at "file:///nowhere/x.js"', 'at "x.js"'],
  ['at file:///nowhere/x.js', 'at x.js'],
  ['PATH=/usr/bin:/usr/sbin', 'PATH=bin:sbin'],
  ['cat: /mnt/keys/id: Permission denied', 'cat: id: Permission denied'],
  ['see https://example.com/a/b and http://h/x', 'see https://example.com/a/b and http://h/x'],
  ['10 MB/s and/or src/a/b ./c/d ../e ~/f', '10 MB/s and/or src/a/b ./c/d ../e ~/f'],
  ['a / b // c', 'a / b // c'],
  ['nothing', 'nothing'],
])('%j becomes %j', (text, expected) => expect(sanitizePaths(text, places)).toBe(expected))

test.each([
  'GET /api/v1/users/7 failed',
  'GET "/api/v1/users/7" failed',
  'expected </div> and </etc>, got <br/>',
  'the regex /a\\/b/g and /^[a-z]+$/i do not match',
  '/** doc */ and /* etc */',
  'a path such as /.well-known/x or /:id/edit',
])('%j is about no file of this machine, and stays', (text) => expect(sanitizePaths(text, places)).toBe(text))

test.each([
  ['gone, but below what is there', '/home/ada/gone/secret-plan.txt', '~/gone/secret-plan.txt'],
  ['below another home that is gone', '/home/gone-user/.ssh/id', 'id'],
  ['beside one that is none, in one pair of quotes', '"/api says: see /home/adam/x"', '"/api says: see x"'],
  ['in angle brackets', 'open </home/adam/private/x>', 'open <x>'],
  ['redirected', 'sort </etc/ssl/private', 'sort <private'],
  ['with steps that lead nowhere', '/./etc/../home/adam/x and /../etc/shadow', 'x and shadow'],
])('a path %s is hidden', (_, text, expected) => expect(sanitizePaths(text, places)).toBe(expected))

test('a workspace that is the whole disk changes nothing about the rest', () => {
  expect(sanitizePaths('/etc/passwd', { workspace: '/', topLevel })).toBe('passwd')
})

test('a workspace or a home that is nowhere on this machine is hidden all the same', () => {
  const elsewhere = { workspace: '/box/desk', home: '/box/ada', topLevel }
  expect(sanitizePaths('/box/desk/a/b /box/ada/c/d /box/other', elsewhere)).toBe('a/b ~/c/d /box/other')
})

test.each([
  ['C:\\Users\\ada\\project\\src\\x.ts:3', 'src\\x.ts:3'],
  ['c:/users/ADA/project/src/x.ts', 'src/x.ts'],
  ['"C:\\\\Users\\\\ada\\\\keys\\\\id"', '"~\\\\keys\\\\id"'],
  ["open 'D:\\some folder\\x y'", "open 'x y'"],
  ['\\\\server\\share\\deep\\x and C:\\Windows\\y', 'x and y'],
  ['"\\\\\\\\server\\\\share\\\\deep\\\\x"', '"x"'],
  ['\\\\?\\C:\\Users\\ada\\keys\\id', '\\\\?\\~\\keys\\id'],
  ['GET /api/v1 gave https://a/b and a \\d+\\n regex', 'GET /api/v1 gave https://a/b and a \\d+\\n regex'],
])('on Windows %j becomes %j', (text, expected) => {
  const windows = { workspace: 'C:\\Users\\ada\\project', home: 'C:\\Users\\ada', topLevel: new Set<string>() }
  expect(sanitizePaths(text, windows)).toBe(expected)
})

test('paths of this very machine are hidden, also those that are gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-'))
  rmSync(folder, { recursive: true })
  const here = machinePlaces('/nowhere/at/all')
  expect(sanitizePaths(`${folder}/a/x ${homedir()}/y ${process.cwd()}/b/z`, { ...here, home: homedir() })).not.toMatch(
    /legwork-|main\/b/,
  )
  expect(sanitizePaths('GET /api-of-nobody/v1', here)).toBe('GET /api-of-nobody/v1')
})

test('long texts without an end take no long time', () => {
  const hostile = ['/a'.repeat(200_000), `"/${'a '.repeat(200_000)}`, "'/".repeat(100_000), ':/'.repeat(100_000)]
  const quoted = [`"/${'a /etc/b'.repeat(50_000)}"`, '</a'.repeat(100_000), '</'.repeat(200_000), '/.'.repeat(200_000)]
  for (const text of [...hostile, ...quoted]) {
    const started = performance.now()
    sanitizePaths(text, places)
    sanitizePaths(text.replaceAll('/', '\\'), { ...places, workspace: 'C:\\x' })
    expect(performance.now() - started).toBeLessThan(1_500)
  }
})
