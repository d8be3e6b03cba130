import { expect, test } from 'vitest'
import { childEnvironment } from '../../src/configuration/secrets.ts'
import { load } from './folder.ts'

test('what a variable held is a candidate, what a default gave is none', async () => {
  const content = `{ "redact": { "values": ["\${ONE}", "\${TWO:-two-by-default}", "a \${env:THREE} b", "literal"] } }`
  const { secrets, configuration } = await load(content, { ONE: 'value-1', THREE: 'value-3' })
  expect(secrets).toEqual([
    { value: 'value-1', variable: 'ONE' },
    { value: 'value-3', variable: 'THREE' },
  ])
  expect(configuration.redact?.values).toEqual(['value-1', 'two-by-default', 'a value-3 b', 'literal'])
})

test('headers and the extra environment of children are candidates', async () => {
  const content = `{
    "mcpServers": {
      "web": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer abc123def", "X-Region": "\${REGION:-eu-1}" } },
      "local": { "command": "x", "env": { "KEY": "k-1", "HOME_FOLDER": "\${WHERE:-/home}" } }
    },
    "programs": { "gh": { "env": ["GH_TOKEN", "NOT_SET"] }, "hub": { "env": { "GITHUB_TOKEN": "\${GH_TOKEN}" } } },
    "skills": ["./skills", { "path": "./ours", "env": ["API_KEY"] }]
  }`
  const { secrets } = await load(content, { GH_TOKEN: 'gh-1', API_KEY: 'api-1' })
  expect(secrets).toEqual([
    { value: 'gh-1', variable: 'GH_TOKEN' },
    { value: 'Bearer abc123def', variable: 'Authorization' },
    { value: 'abc123def', variable: 'Authorization' },
    { value: 'k-1', variable: 'KEY' },
    { value: 'gh-1', variable: 'GH_TOKEN' },
    { value: 'gh-1', variable: 'GITHUB_TOKEN' },
    { value: 'api-1', variable: 'API_KEY' },
  ])
})

test('names are passed on from our own environment, and only from what is really in it', () => {
  expect(childEnvironment(['A', 'B', 'constructor'], { A: '1', C: '3' })).toEqual({ A: '1' })
  expect(childEnvironment({ A: '2' }, { A: '1' })).toEqual({ A: '2' })
})
