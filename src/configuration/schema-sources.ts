// The entries of `mcpServers`, `programs` and `skills`.

import { z } from 'zod'
import { trustLevels } from '../model/effects.ts'
import { group, key, matching, text } from './schema-words.ts'

const confinements = ['full', 'auto', 'processes', 'off'] as const

const variableName = matching(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'Write the name of a variable: letters, digits and underscores.',
  'API_KEY',
)

/** A variable may stand for the beginning, which an editor cannot look into. */
const address = matching(
  /^(https?:\/\/|\$\{)/,
  'Write an address that begins with "http://" or "https://".',
  'https://example.com/mcp',
)

/** Names are passed on from Legwork's own environment; a map gives values. */
const environment = z.union([z.array(variableName), z.record(variableName, z.string())])

const mcpServerExtras = group('MCP server extras', {
  trust: key(z.enum(trustLevels), "How far the server's descriptions are trusted.", 'community'),
  include: key(
    z.array(text('read_*')),
    'The tools to take, * for any characters. Default: all, as with an empty list.',
  ),
  exclude: key(z.array(text('write_*')), 'The tools to leave out, * for any characters.', []),
  confine: key(z.enum(confinements), 'How far the server is shut in.', 'off'),
  pin: key(z.enum(['ask', 'warn', 'off']), 'What happens when a tool has changed since it was first seen.', 'ask'),
  oauth: key(
    group('OAuth client', {
      clientId: key(text('legwork'), 'The id that the server gave to Legwork as its client.'),
      clientSecret: key(text('${MCP_CLIENT_SECRET}'), 'The secret that goes with it.'),
      clientMetadataUrl: key(address, 'Where a description of the client is published.'),
    }),
    'Who Legwork is to a server that registers no clients by itself. Default: it registers when it is first authorised.',
  ),
  names: key(
    z.enum(['prefixed', 'plain']),
    "Whether its tools and prompts are called by their own names alone, without the server's before them.",
    'prefixed',
  ),
  connection: key(z.enum(['shared', 'per-client']), 'Whether each client has a connection of its own.', 'shared'),
})

export const mcpServer = group('MCP server', {
  command: key(text('npx'), 'The program to start; it speaks MCP on stdin and stdout.'),
  args: key(z.array(z.string()), 'Its arguments.', []),
  env: key(z.record(variableName, z.string()), 'Variables it gets on top of the usual ones.', {}),
  cwd: key(text('./servers'), 'The folder it is started in. Default: the workspace.'),
  url: key(address, 'The address of a server that is running already.'),
  headers: key(z.record(text(), z.string()), 'Headers of every request to that address.', {}),
  type: key(
    text('sse'),
    'How it speaks; "sse" for the transport from before streamable HTTP. Default: it follows from "command" or "url".',
  ),
  disabled: key(z.boolean(), 'Whether it is left out.', false),
  enabled: key(z.boolean(), 'The same the other way round: false leaves it out.', true),
  legwork: key(mcpServerExtras, 'What Legwork alone reads.'),
})
  .refine(({ command, url }) => (command === undefined) !== (url === undefined))
  .meta({ title: 'MCP server', oneOf: [{ required: ['command'] }, { required: ['url'] }] })

/** Keys that other clients write into an entry of `mcpServers`. They grant nothing here: each is a warning. */
export const keysOfOtherClients: Readonly<Record<string, string>> = {
  alwaysAllow: 'To run tools without a question, write them into "policy.allow".',
  autoApprove: 'To run tools without a question, write them into "policy.allow".',
  trust: 'Write "trust" inside "legwork".',
  tools: 'Write "include" inside "legwork".',
  includeTools: 'Write "include" inside "legwork".',
  enabledTools: 'Write "include" inside "legwork".',
  excludeTools: 'Write "exclude" inside "legwork".',
  disabledTools: 'Write "exclude" inside "legwork".',
  transport: 'The transport follows from "command" or "url".',
  transportType: 'The transport follows from "command" or "url".',
  serverUrl: 'Write "url".',
  httpUrl: 'Write "url".',
  envFile: 'Write the variables into "env".',
  timeout: 'Write "limits.timeoutMs".',
  oauth: 'Write "oauth" inside "legwork", then run "legwork auth NAME".',
  auth: 'Run "legwork auth NAME", or write what the server asks for into "headers".',
  name: '',
  description: '',
  icon: '',
  version: '',
  gallery: '',
  dev: '',
}

const resources = group('Resources', {
  memoryBytes: key(
    z.int().min(1_048_576).max(1_099_511_627_776),
    'The most data memory of each process. Default: no bound.',
  ),
  cpuSeconds: key(z.int().min(1).max(86_400), 'The most processor time of each process. Default: no bound.'),
  maxProcesses: key(z.int().min(1).max(100_000), 'The most processes and threads at once. Default: no bound.'),
})

export const program = group('Program', {
  metadata: key(
    text('./gh.json'),
    "A file of ATIP metadata. Default: what Legwork ships for that name, else the program's own --agent.",
  ),
  command: key(text('./bin/gh'), "What is started. Default: the program's name, looked up on the path."),
  trust: key(z.enum(trustLevels), 'How far its metadata is trusted. Default: what the metadata says, else "inferred".'),
  confine: key(z.enum(confinements), 'How far it is shut in, where bubblewrap works.', 'processes'),
  env: key(environment, 'Variables it gets on top of the usual ones: names to pass on, or names with values.', []),
  agent: key(z.boolean(), 'Whether it may be asked for its metadata with --agent where it cannot be shut in.', false),
  endOfOptions: key(
    z.boolean(),
    'Whether it takes -- before its positional arguments. Default: what the metadata says.',
  ),
  resources: key(resources, 'Bounds on its memory, processor time and processes.'),
})

export const skill = group('Skill', {
  path: text('./skills').meta({ description: 'The folder: one skill, or several below it.' }),
  trust: key(z.enum(trustLevels), 'How far its skills are trusted.', 'community'),
  confine: key(z.enum(confinements), 'How far scripts are shut in; "auto" is "full" where bubblewrap works.', 'auto'),
  network: key(z.boolean(), 'Whether a script that is shut in may use the network.', false),
  workspace: key(z.enum(['write', 'read']), 'What a script that is shut in may do in the workspace.', 'write'),
  env: key(environment, 'Variables that scripts get: names to pass on, or names with values.', []),
  allowedTools: key(
    z.enum(['enforce', 'preapprove']),
    'What "allowed-tools" of a SKILL.md means: nothing else may be used, or these need no question.',
    'enforce',
  ),
  resources: key(resources, 'Bounds on the memory, processor time and processes of each script.'),
})
