// The keys of `legwork.jsonc`, each with a sentence and its default. `scripts/schema.ts` makes two files from this one:
// `schema.json`, which editors read and which `check.ts` checks a file against, and the types in `configuration.ts`.
// Nothing imports this when Legwork runs: zod alone would take as long to load as all the rest of a start.

import { z } from 'zod'
import { costEstimates, trustLevels } from '../model/effects.ts'
import { type LimitName, limitSpecs } from '../model/limits.ts'
import { mcpServer, program, skill } from './schema-sources.ts'
import { group, key, regularExpression, text } from './schema-words.ts'

const policy = group('Policy', {
  profile: key(z.enum(['recommended']), 'A ready-made set of answers by trust level. Default: none.'),
  allowDestructive: key(z.boolean(), 'Whether destructive tools run without a question.', false),
  allowNonReversible: key(z.boolean(), 'Whether tools that cannot be undone run without a question.', true),
  allowBillable: key(z.boolean(), 'Whether tools that cost money run without a question.', true),
  allowNetwork: key(z.boolean(), 'Whether tools may use the network; false denies them.', true),
  allowFilesystemWrite: key(z.boolean(), 'Whether tools may write files; false denies them.', true),
  allowFilesystemDelete: key(z.boolean(), 'Whether tools that delete files run without a question.', true),
  allowInteractive: key(z.boolean(), 'Whether tools may run that need a person at a terminal.', false),
  minTrustLevel: key(z.enum(trustLevels), 'Tools that are trusted less than this are denied.', 'inferred'),
  maxCostEstimate: key(z.enum(costEstimates), 'A tool whose estimated cost is above this asks.', 'high'),
  approvalTimeoutMs: key(
    z
      .int()
      .min(1)
      .max(7 * 24 * 3_600_000),
    'How long a question waits for an answer, in milliseconds; no answer is a no.',
    300_000,
  ),
  allow: key(
    z.array(text('git:status')),
    'Rules whose calls run without a question, unless "ask" or "deny" has one.',
    [],
  ),
  ask: key(z.array(text('files:*')), 'Rules whose calls ask a person first, unless "deny" has one.', []),
  deny: key(z.array(text('effect:billable')), 'Rules whose calls never run.', []),
})

const limits = group('Limits', {
  timeoutMs: limit('timeoutMs'),
  maxOutputBytes: limit('maxOutputBytes'),
  maxTextLength: limit('maxTextLength'),
  maxResultLength: limit('maxResultLength'),
  maxInputBytes: limit('maxInputBytes'),
  maxInputValues: limit('maxInputValues'),
  maxInputDepth: limit('maxInputDepth'),
  maxConcurrentCalls: limit('maxConcurrentCalls'),
  maxQueuedCalls: limit('maxQueuedCalls'),
  maxCallDepth: limit('maxCallDepth'),
} satisfies Record<LimitName, unknown>)

const redact = group('Redact', {
  values: key(z.array(z.string()), 'Texts that are always hidden. Empty ones are passed over.', []),
  patterns: key(z.array(regularExpression('acme_[a-z0-9]{20}')), 'Regular expressions; what they match is hidden.', []),
})

const journal = group('Journal', {
  path: key(
    text('.legwork/legwork.db'),
    'The file that every call is written to. Default: ".legwork/legwork.db" beside this file.',
  ),
  durability: key(
    z.enum(['process', 'power']),
    'What an entry survives: the end of the process, or of the power as well, which is slower.',
    'process',
  ),
})

const serve = group('Serve', {
  expose: key(
    z.enum(['direct', 'meta', 'auto']),
    'What an MCP client sees: every tool, a few that search and call the rest, or whichever suits their number.',
    'auto',
  ),
})

export const configurationSchema = group('Configuration', {
  $schema: key(z.string(), 'Where this schema stands, for editors.'),
  mcpServers: key(z.record(text(), mcpServer), 'MCP servers by name, as other clients have them.', {}),
  programs: key(z.record(text(), program), 'Command-line programs by name.', {}),
  skills: key(z.array(z.union([text('./skills'), skill])), 'Folders that hold skills.', []),
  documents: key(z.array(text('./documents/**/*.xml')), 'Documents whose tool blocks become tools, as globs.', []),
  contracts: key(
    z.array(text('./contracts/**/*.yaml')),
    'Contracts and compose files that become tools, as globs.',
    [],
  ),
  functions: key(z.array(text('./tools.ts')), 'Modules; every tool that one exports is taken.', []),
  policy: key(policy, 'What runs, what asks, what is denied.'),
  limits: key(limits, 'Bounds on time, bytes and depth.'),
  redact: key(redact, 'Secrets to hide besides those that are known already.'),
  journal: key(journal, 'Where and how calls are written down.'),
  serve: key(serve, 'How Legwork serves others.'),
  model: key(text('openai-compatible:http://127.0.0.1:11434/v1#llama'), 'The language model. Default: none.'),
})

function limit(name: LimitName) {
  const { min, max, about, default: fallback } = limitSpecs[name]
  return key(z.int().min(min).max(max), about, fallback)
}
