import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfiguration } from '../../src/configuration/load.ts'
import { limitNames, limitSpecs } from '../../src/model/limits.ts'
import { faultsOf, load, makeFolder, messagesOf } from './folder.ts'

describe('what is wrong, and what to write instead', () => {
  test.each([
    ['{ "policy": { "allowDestructive": "yes" } }', 'policy.allowDestructive is "yes"; write true or false.'],
    ['{ "policy": { "allowNetwork": null } }', 'policy.allowNetwork is null; write true or false.'],
    ['{ "policy": [] }', 'policy is a list; write an object.'],
    ['{ "policy": { "allow": "git:*" } }', 'policy.allow is "git:*"; write a list, such as ["git:status"].'],
    ['{ "policy": { "deny": ["a", {}] } }', 'policy.deny[1] is an object; write text, such as "effect:billable".'],
    ['{ "policy": { "profile": "strict" } }', 'policy.profile is "strict"; write "recommended".'],
    [
      '{ "policy": { "minTrustLevel": "vender" } }',
      'policy.minTrustLevel is "vender"; write one of "vendor", "inferred", "user", "community", "org", "native".',
    ],
    ['{ "polcy": {} }', '"polcy" is not a key of the configuration. Did you mean "policy"?'],
    ['{ "limits": { "timeout": 5 } }', '"timeout" is not a key of limits. Did you mean "timeoutMs"?'],
    ['{ "timeoutMs": 5 }', '"timeoutMs" is not a key of the configuration. Did you mean "limits.timeoutMs"?'],
    [
      '{ "mcpServers": { "my server": { "command": "x", "pin": "off" } } }',
      '"pin" is not a key of mcpServers["my server"]. Did you mean "mcpServers.NAME.legwork.pin"?',
    ],
    ['{ "serve": { "port": 1 } }', '"port" is not a key of serve. Its keys are "expose".'],
    ['{ "limits": { "timeoutMs": 0 } }', 'limits.timeoutMs is 0; write a whole number from 1 to 600000.'],
    ['{ "limits": { "maxCallDepth": 1.5 } }', 'limits.maxCallDepth is 1.5; write a whole number from 1 to 64.'],
    ['{ "limits": { "timeoutMs": 1e999 } }', 'limits.timeoutMs is Infinity; write a whole number from 1 to 600000.'],
    ['{ "programs": { "gh": { "metadata": "" } } }', 'programs.gh.metadata is ""; write text, such as "./gh.json".'],
    [
      '{ "programs": { "gh": { "env": ["GH_TOKEN=x"] } } }',
      'programs.gh.env[0] is "GH_TOKEN=x". Write the name of a variable: letters, digits and underscores.',
    ],
    [
      '{ "programs": { "gh": { "env": { "GH TOKEN": "x" } } } }',
      '"GH TOKEN" is no name here. Write the name of a variable: letters, digits and underscores.',
    ],
    ['{ "programs": { "": {} } }', 'programs[""] has an empty name; write one.'],
    ['{ "programs": { "__proto__": {} } }', '"__proto__" cannot be a name in programs; write another one.'],
    ['{ "skills": [{ "trust": "org" }] }', 'skills[0].path is missing; write text, such as "./skills".'],
    ['{ "skills": [5] }', 'skills[0] is 5; write text, such as "./skills", or an object.'],
    ['{ "mcpServers": { "f": {} } }', 'mcpServers.f has neither "command" nor "url"; write one of them.'],
    [
      '{ "mcpServers": { "f": { "command": "x", "url": "http://y" } } }',
      'mcpServers.f has both "command" and "url"; keep one of them.',
    ],
    [
      '{ "mcpServers": { "f": { "url": "ftp://x" } } }',
      'mcpServers.f.url is "ftp://x". Write an address that begins with "http://" or "https://".',
    ],
    [
      '{ "redact": { "patterns": ["(["] } }',
      'redact.patterns[0] is "([", which is faulty: Invalid regular expression: /([/: Unterminated character class; write another pattern.',
    ],
    ['[]', 'The configuration is a list; write an object.'],
    [
      '{ "policy": {},\n  "limits": {},\n  "policy": {} }',
      '"policy" stands twice in the configuration, first on line 1. Keep one of them.',
    ],
    [
      '{ "programs": { "gh": { "trust": "org", "trust": "user" } } }',
      '"trust" stands twice in programs.gh, first on line 1. Keep one of them.',
    ],
  ])('%s', async (content, message) => {
    expect(await messagesOf(content)).toEqual([message])
  })

  test.each(limitNames)('the limit %s names its range', async (name) => {
    const { min, max } = limitSpecs[name]
    expect(await messagesOf(JSON.stringify({ limits: { [name]: max + 1 } }))).toEqual([
      `limits.${name} is ${max + 1}; write a whole number from ${min} to ${max}.`,
    ])
    await expect(load(JSON.stringify({ limits: { [name]: max } }))).resolves.toBeDefined()
  })
})

describe('what is not JSON', () => {
  test.each([
    ['{ "policy": { "allowNetwork": yes } }', 'yes is not JSON. Write true, or "yes" for text.'],
    ['{ "policy": { "allowNetwork": False } }', 'False is not JSON. Write false, or "False" for text.'],
    ['{ "model": gpt }', '"gpt" is not JSON. Write text in double quotes.'],
    ['{ policy: {} }', 'The key policy stands without quotes. Write "policy".'],
    ["{ 'policy': {} }", 'Keys and texts stand in straight double quotes. Write "…".'],
    ['{ “policy”: {} }', 'Keys and texts stand in straight double quotes. Write "…".'],
    ['{ "policy": {} "limits": {} }', 'A comma is missing before this.'],
    ['{ "policy" {} }', 'A colon is missing between the key and its value.'],
    ['{ "policy": }', 'A value is missing here.'],
    ['{ "functions": ["a" }', 'The list is not closed. Write "]".'],
    ['{ "policy": { "allowNetwork": true ], "limits": {} }', 'The object is not closed. Write "}".'],
    ['{ "policy": {', 'The object is not closed. Write "}".'],
    ['{ "model": "x }', 'The text is not closed. Write a double quote at its end.'],
    ['{ "model": "C:\\users" }', 'Four hexadecimal digits must follow "\\u".'],
    ['{ "model": "C:\\Legwork" }', 'This text has a backslash that escapes nothing. Write "\\\\" for a backslash.'],
    ['{ } /* open', 'The comment is not closed. Write "*/".'],
    ['{} {}', 'There is more after the end. Write one object in braces and nothing behind it.'],
    [`{ "a": ${'['.repeat(100_000)}`, 'Lists and objects are nested more than 64 levels deep here. Write fewer.'],
    [`"\r${'['.repeat(100_000)}`, 'Lists and objects are nested more than 64 levels deep here. Write fewer.'],
    ['['.repeat(100_000), 'Lists and objects are nested more than 64 levels deep here. Write fewer.'],
  ])('%.60s', async (content, message) => {
    expect(await messagesOf(content)).toEqual([message])
  })
})

test('all faults come at once, in the order of the file, each with its line, column and frame', async () => {
  const content = [
    '{',
    '  "programs": { "gh": { "trust": "vender" } },',
    '  "policy": { "allowNetwork": no },',
    `  "redact": { "values": ["a", "\${UNSET}"] },`,
    '  "limitz": {},',
    '  "serve": {} "journal": { "durability": 1 }',
    '}',
  ].join('\r\n')
  const faults = await faultsOf(content)
  expect(faults.map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
    '2:34 programs.gh.trust',
    '3:31 ',
    '4:32 redact.values[1]',
    '5:3 limitz',
    '6:15 ',
    '6:42 journal.durability',
  ])
  expect(faults[2]?.frame).toBe(
    [
      '  3 |   "policy": { "allowNetwork": no },',
      `> 4 |   "redact": { "values": ["a", "\${UNSET}"] },`,
      '    |                                ^',
      '  5 |   "limitz": {},',
    ].join('\n'),
  )
})

test('the message of the error shows file, line, column, what is wrong, and the place', async () => {
  const cwd = makeFolder({ 'legwork.jsonc': '{\n  "polcy": {}\n}' })
  await expect(loadConfiguration({ cwd, environment: {} })).rejects.toMatchObject({
    name: 'ConfigurationError',
    code: 'invalid-configuration',
    file: join(cwd, 'legwork.jsonc'),
    message: [
      `${join(cwd, 'legwork.jsonc')}:2:3`,
      '"polcy" is not a key of the configuration. Did you mean "policy"?',
      '  1 | {',
      '> 2 |   "polcy": {}',
      '    |   ^',
      '  3 | }',
    ].join('\n'),
  })
})

test('each bad token is reported, but what only follows from lost structure is not', async () => {
  const content = "{\n  'policy': { 'allowNetwork': 'yes' },\n  \"limits\": { \"timeoutMs\": 0 }\n}"
  const faults = await faultsOf(content)
  expect(faults.map(({ line, column }) => `${line}:${column}`)).toEqual(['2:3', '2:15', '2:31'])
})

test('a key is not called absent where its value could not be read', async () => {
  expect(await messagesOf('{ "mcpServers": { "f": { "command": npx } } }')).toEqual([
    '"npx" is not JSON. Write text in double quotes.',
  ])
})

test('what a variable holds is never shown in a message', async () => {
  const faults = await faultsOf(`{ "programs": { "gh": { "trust": "\${TRUST}" } } }`, { TRUST: 'hunter2hunter2' })
  expect(JSON.stringify(faults)).not.toContain('hunter2')
  expect(faults[0]?.message).toMatch(
    /^programs\.gh\.trust is "\$\{TRUST\}" with its variables filled in; write one of /,
  )
})

test('a long value is cut, and characters that would disturb a terminal are shown harmless', async () => {
  const [long] = await messagesOf(JSON.stringify({ policy: { allow: 'x'.repeat(5_000) } }))
  expect(long?.length).toBeLessThan(150)
  const [fault] = await faultsOf('// \u001b]0;title\u0007 \u202e\n{ "po\\u001b[2Jlcy": 1 }')
  expect(`${fault?.message}${fault?.frame}`).not.toMatch(/[\u001b\u0007\u202e]/)
})

test.each([
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'The file is not UTF-8 text. Save it as UTF-8.'],
  ['broken UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'The file is not UTF-8 text. Save it as UTF-8.'],
  ['11 MB', Buffer.alloc(11 * 1_048_576, ' '), 'The file has 11534336 bytes; at most 10485760 are read.'],
])('a file of %s is refused', async (_what, content, message) => {
  expect(await messagesOf(content)).toEqual([message])
})

test('a folder in its place is refused', async () => {
  const cwd = makeFolder()
  mkdirSync(join(cwd, 'legwork.jsonc'))
  await expect(loadConfiguration({ cwd, environment: {} })).rejects.toThrow(/not a file/)
})

test('a file that was named and is not there is an error that says so', async () => {
  const cwd = makeFolder()
  await expect(loadConfiguration({ cwd, file: 'x.jsonc', environment: {} })).rejects.toThrow(
    /^.*x\.jsonc: The file cannot be read: ENOENT.*\. Check that it is there and yours to read\.$/,
  )
})
