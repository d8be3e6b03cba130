import { expect, test } from 'vitest'
import { checkConfiguration } from '../../src/configuration/load.ts'

test('options in code are checked like a file, with paths instead of places', async () => {
  const options = { policy: { allowDestructive: 'yes' }, functions: [() => 1], aprove: true }
  await expect(checkConfiguration(options, '/w', {}, ['approve'])).rejects.toMatchObject({
    code: 'invalid-configuration',
    file: undefined,
    faults: [
      { path: 'policy.allowDestructive', message: 'policy.allowDestructive is "yes"; write true or false.' },
      { path: 'functions[0]', message: 'functions[0] is a function; write text, such as "./tools.ts".' },
      { path: 'aprove', message: '"aprove" is not a key of the configuration. Did you mean "approve"?' },
    ],
    message: [
      'the options: policy.allowDestructive is "yes"; write true or false.',
      'the options: functions[0] is a function; write text, such as "./tools.ts".',
      'the options: "aprove" is not a key of the configuration. Did you mean "approve"?',
    ].join('\n\n'),
  })
})

test('options in code keep their values; no variable is filled in, and undefined is as good as left out', async () => {
  const text = `\${HOME}`
  const options = { redact: { values: [text] }, limits: undefined, policy: { deny: ['a:*'] }, approve: () => true }
  const loaded = await checkConfiguration(options, '/w', { HOME: '/root' }, ['approve'])
  expect(loaded).toEqual({
    configuration: { redact: { values: [text] }, policy: { deny: ['a:*'] } },
    file: undefined,
    folder: '/w',
    rules: { allow: [], ask: [], deny: [{ pattern: 'a:*' }] },
    secrets: [],
    warnings: [],
  })
  expect(options).toHaveProperty('approve')
})

test('headers and extra environment given in code are candidates for secrets too', async () => {
  const options = {
    programs: { gh: { env: ['GH_TOKEN'] } },
    mcpServers: { x: { command: 'x', env: { K: 'v' }, alwaysAllow: 1 } },
  }
  const { secrets, warnings } = await checkConfiguration(options, '/w', { GH_TOKEN: 't' })
  expect(secrets).toEqual([
    { value: 'v', variable: 'K' },
    { value: 't', variable: 'GH_TOKEN' },
  ])
  expect(warnings).toEqual([
    'mcpServers.x.alwaysAllow: A key of other clients, without effect here. To run tools without a question, write them into "policy.allow".',
  ])
})

test.each([null, 5, 'x', []])('%j is no configuration', async (value) => {
  await expect(checkConfiguration(value, '/w', {})).rejects.toThrow(/^the options: The configuration is /)
})
