import { expect, test } from 'vitest'
import { sanitizePaths } from '../../src/outcome/paths.ts'

const places = { workspace: '/home/ada/project', home: '/home/ada' }

test.each([
  ['/home/ada/project/src/x.ts', 'src/x.ts'],
  ['/home/ada/project', '.'],
  ['/home/ada/project-two/x', '~/project-two/x'],
  ['/home/ada', '~'],
  ['/home/adam/x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['/usr/lib/', 'lib/'],
  ["open '/home/ada/with blank/x'", "open '~/with blank/x'"],
  ['open "/etc/a b/c"', 'open "c"'],
  ['at f (/usr/lib/node/x.js:10:5)', 'at f (x.js:10:5)'],
  ['at file:///home/ada/project/x.js:3', 'at x.js:3'],
  ['PATH=/usr/bin:/usr/sbin', 'PATH=bin:sbin'],
  ['cat: /mnt/keys/id: Permission denied', 'cat: id: Permission denied'],
  ['see https://example.com/a/b and http://h/x', 'see https://example.com/a/b and http://h/x'],
  ['10 MB/s and/or src/a/b ./c/d ../e ~/f', '10 MB/s and/or src/a/b ./c/d ../e ~/f'],
  ['a / b // c', 'a / b // c'],
  ['nothing', 'nothing'],
])('%j becomes %j', (text, expected) => expect(sanitizePaths(text, places)).toBe(expected))

test('a workspace that is the whole disk changes nothing about the rest', () => {
  expect(sanitizePaths('/etc/passwd', { workspace: '/' })).toBe('passwd')
})

test('long texts without an end take no long time', () => {
  for (const text of ['/a'.repeat(200_000), `"/${'a '.repeat(200_000)}`, "'/".repeat(100_000), ':/'.repeat(100_000)]) {
    const started = performance.now()
    sanitizePaths(text, places)
    expect(performance.now() - started).toBeLessThan(1_500)
  }
})
