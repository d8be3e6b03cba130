// The verbs and their options. Each verb's own file is loaded when it is used.

import { Command, CommanderError } from 'commander'
import { messageOf } from '../base/json.ts'
import { LegworkError } from '../model/errors.ts'
import { visibleText } from '../outcome/visible.ts'

/** What every verb can use. */
export interface Globals {
  /** Print one JSON value and nothing else on stdout. Default false. */
  readonly json?: boolean
  /** The configuration file. Default: `legwork.jsonc`, looked for from the working directory upwards. */
  readonly config?: string
}

/** Runs one command line and answers with the exit code. */
export async function runCommand(words: readonly string[], version: string): Promise<number> {
  let exitCode = 0
  const verb = (run: (globals: Globals) => Promise<number>) => async () => {
    exitCode = await run(program.optsWithGlobals())
  }
  const program = new Command('legwork')
    .description('Calls tools for AI agents: checked, decided, run somewhere safe, written down.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError(true)
    .addHelpText(
      'after',
      '\nExample:\n  $ legwork call demo:echo \'{"message": "hi"}\'\n  $ legwork tools issue\n  $ legwork audit --level warning',
    )

  const add = (name: string, about: string, example: string) => group(program, name, about, example)
  const group = (parent: Command, name: string, about: string, example: string) =>
    parent
      .command(name)
      .description(about)
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .option('--json', 'print one JSON value and nothing else')
      .option('--config <file>', 'the configuration file (default: legwork.jsonc, looked for upwards)')
      .addHelpText('after', `\nExample:\n  $ ${example}`)

  const call = add('call', 'call one tool', 'legwork call \'demo.echo({message: "hi"})\'')
    .argument('<tool>', 'a tool by any spelling, or a call such as demo.echo({message: "hi"})')
    .argument('[input]', 'the input as JSON; - reads it from stdin')
    .option('--content <text>', 'instructions in prose that go with the input')
    .option('--timeout <ms>', 'the longest it may run, in milliseconds', wholeNumber)
    .action((tool: string, input: string | undefined) =>
      verb(async () => (await import('./call.ts')).callVerb(tool, input, call.opts()))(),
    )

  const tools = add('tools', 'list, search and describe tools', 'legwork tools create issue')
    .argument('[words...]', 'a name to describe, or words to search for')
    .option('--kind <kind>', 'only tools of this kind')
    .option('--types', 'print TypeScript signatures; a program or server stands for all its tools')
    .action((given: string[]) => verb(async () => (await import('./tools.ts')).toolsVerb(given, tools.opts()))())

  const audit = add('audit', 'show the journal', 'legwork audit --level warning --limit 20')
    .option('--tool <tool>', 'only calls of this tool')
    .option('--kind <kind>', 'only tools of this kind')
    .option('--call <id>', 'only the call of this id')
    .option('--caller <caller>', 'only calls from this caller')
    .option('--code <code>', 'only calls that ended with this code')
    .option('--level <level>', 'this level and worse: info, warning, error')
    .option('--since <time>', 'from this time on, such as 2026-01-31 or 10m, 2h, 7d ago')
    .option('--until <time>', 'up to this time')
    .option('--limit <n>', 'how many, the newest first', wholeNumber, 100)
    .argument('[verb]', 'verify, export or prune')
    .action((word: string | undefined) =>
      verb(async () => (await import('./audit.ts')).auditVerb(word, audit.opts()))(),
    )
  const verify = group(audit, 'verify', 'check that no entry was changed, added or removed', 'legwork audit verify')
    .option('--head <hash>', 'the hash of an entry that must be there, from an earlier export')
    .action(() => verb(async () => (await import('./audit.ts')).verifyVerb({ ...audit.opts(), ...verify.opts() }))())
  const exported = group(
    audit,
    'export',
    'print every entry as JSON Lines, the oldest first',
    'legwork audit export > journal.jsonl',
  ).action(() => verb(async () => (await import('./audit.ts')).exportVerb({ ...audit.opts(), ...exported.opts() }))())

  const prune = group(
    audit,
    'prune',
    'remove the oldest entries; what is left still verifies',
    'legwork audit prune --before 90d',
  )
    .option('--before <time>', 'entries older than this, such as 2026-01-31 or 90d')
    .option('--keep <n>', 'all but the newest so many', wholeNumber)
    .action(() => verb(async () => (await import('./audit.ts')).pruneVerb({ ...audit.opts(), ...prune.opts() }))())

  const policy = program.command('policy').description('say what the policy decides').exitOverride()
  const why = group(
    policy,
    'why',
    'the decision on a call, and the rule that made it',
    'legwork policy why gh:prCreate',
  )
    .argument('<tool>', 'a tool by any spelling')
    .argument('[input]', 'the input as JSON')
    .action((tool: string, input: string | undefined) =>
      verb(async () => (await import('./policy.ts')).whyVerb(tool, input, why.opts()))(),
    )

  const doctor = add('doctor', 'what is installed, what is missing, how to get it', 'legwork doctor').action(() =>
    verb(async () => (await import('./doctor.ts')).doctorVerb(version, doctor.opts()))(),
  )

  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    return explain(error, words.includes('--json'))
  }
}

/** Misuse of the command, one sentence and exit code 2. */
function explain(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = visibleText(messageOf(error).replace(/^error: /, ''))
  const code = error instanceof LegworkError ? error.code : error instanceof CommanderError ? 'usage' : 'internal'
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, code, message })}\n`)
  else process.stderr.write(code === 'usage' ? `${message}\nRun "legwork --help" for what there is.\n` : `${message}\n`)
  return code === 'internal' || code === 'journal-unavailable' ? 1 : 2
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new CommanderError(2, 'usage', `"${text}" is not a whole number.`)
  return Number(text)
}
