import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Entry, replaceSecrets, secretsIn } from '../../src/outcome/entry-secrets.ts'

const random = 'abcdef0123456789abcdef0123456789'
const uuid = '550e8400-e29b-41d4-a716-446655440000'
const args = (...words: string[]): Entry => ({ command: 'x', args: words })
const headers = (map: Record<string, string>): Entry => ({ url: 'https://example.com/mcp', headers: map })
const url = (text: string): Entry => ({ url: text })
const env = (map: Record<string, string>): Entry => ({ command: 'x', env: map })

test.each<[Entry, ...string[]]>([
  [args('--password', 'sw0rdfish/sw0rdfish+1'), 'sw0rdfish/sw0rdfish+1'],
  [args('--token=abc-1'), 'abc-1'],
  [args('-p', 'hunter2secretpw'), 'hunter2secretpw'],
  [args('-p', 'Passw0rd'), 'Passw0rd'],
  [args('-phunter2secretpw'), 'hunter2secretpw'],
  [args('-u', 'admin:Passw0rd'), 'admin:Passw0rd'],
  [args('-k', random), random],
  [args('-e', `ODD=${random}`), random],
  [args('--odd', random), random],
  [args(random), random],
  [args('--header', `X-Custom: ${random}`), random],
  [args('-H', 'Authorization: Bearer abc'), 'abc'],
  [args('--dsn', 'postgres://me:pa55@host/db'), 'pa55'],
  [args(`https://example.com/s/${uuid}/mcp`), uuid],
  [headers({ 'X-Custom': random }), random],
  [headers({ 'X-Custom': `Key ${random}; 1` }), random],
  [headers({ 'X-Custom': 'correcthorsebatterystaplecorrect' }), 'correcthorsebatterystaplecorrect'],
  [headers({ 'X-Api-Key': 'abcdef' }), 'abcdef'],
  [headers({ Authorization: 'hunter2' }), 'hunter2'],
  [headers({ Authorization: 'Basic YTpi' }), 'YTpi'],
  [headers({ Cookie: 'sid=abc' }), 'sid=abc'],
  [url(`https://example.com/mcp?key=${random}&page=2`), random],
  [url('https://me:hunter2x@example.com/mcp'), 'hunter2x'],
  [env({ ODD: random, NODE_ENV: 'production' }), random],
  [env({ DB_PASSWORD: 'abc1' }), 'abc1'],
])('%j holds a secret', (entry, ...values) => {
  expect(secretsIn(entry).map(({ value }) => value)).toEqual(values)
})

test.each<[Entry]>([
  [args('-y', '@upstash/context7-mcp', '-y', 'server-x@2025.1.2', '-p', '@scope/pkg7x', '-p', 'pkg@1.2.3')],
  [args('run', '-i', '--rm', '-p', '8080:80', '-u', '1000:1000', '-v', '/home/me/x1:/x', 'ghcr.io/a/b-mcp:v0.5.1')],
  [args('--from', 'git+https://github.com/x/y@0123456789abcdef0123456789abcdef01234567', '-m', 'mcp_server_git')],
  [args('--project', 'my-project-123456', '--model', 'claude-3-5-sonnet-20241022', '-u', 'server.py', '-p', './x1y')],
  [args('--use-tokens', 'true', '--max-tokens', '100', '--token', '${TOKEN}', '--header', 'X-Key:${KEY}')],
  [
    headers({
      Accept: 'application/vnd.github.v3+json',
      'X-Region': 'eu-west-1',
      'X-GitHub-Api-Version': '2022-11-28',
    }),
  ],
  [headers({ 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'X-Toolsets': 'repos,issues' })],
  [headers({ Authorization: 'Bearer ${TOKEN}', 'X-Api-Key': '${KEY}' })],
  [url('https://api.example.com/mcp/x/pull_requests/readonly?page=2&version=2025-06-18')],
  [url('https://${HOST}/x?token=${TOKEN}')],
  [
    env({
      NODE_ENV: 'production',
      MODEL: 'gpt-4o-mini-2024-07-18',
      HOME_FOLDER: '/home/me/x1',
      AWS_REGION: 'us-east-1',
    }),
  ],
])('%j holds none', (entry) => {
  expect(secretsIn(entry)).toEqual([])
})

test('only what nothing but its looks speaks for is a guess', () => {
  const guesses = (entry: Entry) => secretsIn(entry).map(({ isGuess }) => isGuess)
  expect(guesses(args('--id', uuid, '-e', `ODD=${random}`))).toEqual([true, true])
  expect(guesses(args('-p', random, '--password', uuid))).toEqual([false, false])
  expect(guesses(env({ ODD: random }))).toEqual([true])
})

test('an entry stays as it is where each secret is put back, whatever it holds', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom(random, uuid, '-p', '--password', 'Bearer x', `a=${random}`))
  const entries = fc.record({
    command: text,
    args: fc.array(text),
    url: fc.oneof(text, fc.webUrl({ withQueryParameters: true })),
    env: fc.dictionary(text, text),
    headers: fc.dictionary(text, text),
  })
  fc.assert(
    fc.property(entries, (entry) => {
      expect(replaceSecrets(entry, ({ value }) => value)).toEqual(entry)
    }),
  )
})
