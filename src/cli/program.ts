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

/** Runs one command line and answers with the exit code. `perform` does what the words say, once they are understood. */
export async function runCommand(
  words: readonly string[],
  version: string,
  perform: (work: () => Promise<number>) => Promise<number> = (work) => work(),
): Promise<number> {
  let exitCode = 0
  /** The verb whose words could not be understood. */
  let failed: Command | undefined
  const verb = (run: (globals: Globals) => Promise<number>) => async () => {
    exitCode = await perform(() => run(program.optsWithGlobals()))
  }
  const program = new Command('legwork')
    .description('Calls tools for AI agents: checked, decided, run somewhere safe, written down.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError(true)
    .addHelpText(
      'after',
      '\nExample:\n  $ legwork call demo:echo \'{"message": "hi"}\'\n  $ legwork tools issue\n  $ legwork audit --level warning',
    )

  const quiet = (command: Command) =>
    command.configureOutput({ outputError: () => {} }).exitOverride((error) => {
      failed ??= command
      throw error
    })
  quiet(program)
  const add = (name: string, about: string, example: string) => group(program, name, about, example)
  const group = (parent: Command, name: string, about: string, example: string) =>
    quiet(parent.command(name))
      .description(about)
      .option('--json', 'print one JSON value and nothing else')
      .option('--config <file>', 'the configuration file (default: legwork.jsonc, looked for upwards)')
      .addHelpText('after', `\nExample:\n  $ ${example}`)

  const call = add('call', 'call one tool', 'legwork call \'demo.echo({message: "hi"})\'')
    .argument('<tool>', 'a tool by any spelling, or a call such as demo.echo({message: "hi"})')
    .argument('[input]', 'the input as JSON; - reads it from stdin')
    .option('--content <text>', 'instructions in prose that go with the input')
    .option('--var <name=value>', 'a variable of a tool that a document defines; once for each', everyOne)
    .option('--dry', 'show the values of the variables and run nothing, for a tool that a document defines')
    .option('--timeout <ms>', 'the longest it may run, in milliseconds', wholeNumber)
    .action((tool: string, input: string | undefined) =>
      verb(async () => (await import('./call.ts')).callVerb(tool, input, call.opts()))(),
    )

  const run = add('run', 'run a script, a document or a contract', 'legwork run report.ts')
    .argument(
      '<file>',
      'a toolscript (.ts .js), a document (.xml .idyll), a contract or compose (.yaml .json); - for stdin',
    )
    .option('--as <kind>', 'toolscript, document, contract or compose, where the name does not tell')
    .option('--input <json>', 'what a contract or compose begins with')
    .option('--timeout <ms>', 'the longest it may run, in milliseconds', wholeNumber)
    .option('--memory <megabytes>', 'how much memory a toolscript may use', wholeNumber)
    .option('--read-only', 'let it call only tools that are known to change nothing')
    .option('--dry', 'list the tools that a toolscript can call, and run nothing')
    .option('--write', "write a document's results into the file")
    .option('--block <id>', 'run this block of a document alone')
    .option('--junit <file>', "write a JUnit report of a document's blocks")
    .option('--check', "say whether a document's stored results are still right, and run nothing")
    .option('--triggers', "run a document's triggers too")
    .option('--stop-on-error', 'leave the rest of a document alone once a block fails')
    .option('--message <text>', 'what is said to an agent; without it, stdin or a conversation')
    .option('--model <model>', "an agent's language model, such as openai:NAME")
    .option('--max-steps <n>', 'how often the model of an agent may be asked for one message', wholeNumber)
    .option('--var <name=value>', "a variable of an agent's prose; once for each", everyOne)
    .action((file: string) => verb(async () => (await import('./run.ts')).runVerb(file, run.opts()))())

  const tools = add('tools', 'list, search and describe tools', 'legwork tools create issue')
    .argument('[words...]', 'a name to describe, or words to search for')
    .option('--kind <kind>', 'only tools of this kind')
    .option('--types', 'print TypeScript signatures; a program or server stands for all its tools')
    .option('--tokens', 'what the tools cost a model, all of them and the few that stand for them')
    .action((given: string[]) => verb(async () => (await import('./tools.ts')).toolsVerb(given, tools.opts()))())

  const types = add('types', 'write the types of all tools for editors', 'legwork types legwork.d.ts')
    .argument('[file]', 'where to; - prints them', 'legwork.d.ts')
    .option('--force', 'overwrite a file that this command did not make')
    .action((file: string) => verb(async () => (await import('./types.ts')).typesVerb(file, types.opts()))())

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

  const approve = add('approve', 'list the calls that wait for a yes, and answer them', 'legwork approve 1a2b3c4d')
    .argument('[id]', 'the question to answer; without one, all that wait')
    .option('--yes', 'say yes without being asked once more')
    .option('--no', 'refuse it')
    .option('--reason <text>', 'why; the caller is told')
    .action((id: string | undefined) =>
      verb(async () => (await import('./approve.ts')).approveVerb(id, approve.opts()))(),
    )

  const policy = quiet(program.command('policy')).description('say what the policy decides')
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

  const init = add('init', 'find what is there already, and write legwork.jsonc', 'legwork init')
    .option('--yes', 'write without asking')
    .action(() => verb(async () => (await import('./init.ts')).initVerb(init.opts()))())

  const link = add('link', "add Legwork to a client's configuration", 'legwork link cursor')
    .argument('<client>', 'claude-code, cursor, vscode, claude-desktop or codex')
    .option('--yes', 'change the file without asking')
    .action((client: string) => verb(async () => (await import('./link.ts')).linkVerb(client, link.opts()))())

  const unlink = add('unlink', "take Legwork out of a client's configuration again", 'legwork unlink cursor')
    .argument('<client>', 'claude-code, cursor, vscode, claude-desktop or codex')
    .option('--yes', 'change the file without asking')
    .action((client: string) => verb(async () => (await import('./link.ts')).unlinkVerb(client, unlink.opts()))())

  const auth = add('auth', 'authorise remote servers, and show which are', 'legwork auth github')
    .argument('[server]', 'the server to authorise; without one, how each stands')
    .option('--forget', 'delete its tokens instead')
    .action((server: string | undefined) =>
      verb(async () => (await import('./auth.ts')).authVerb(server, auth.opts()))(),
    )

  const pins = add('pins', 'what is pinned of each server, and what differs now', 'legwork pins github')
    .argument('[server]', 'only this server')
    .action((server: string | undefined) =>
      verb(async () => (await import('./pins.ts')).pinsVerb(server, pins.opts()))(),
    )
  const accept = group(pins, 'accept', 'take what a server says today', 'legwork pins accept github create_issue')
    .argument('<server>', 'the server')
    .argument('[tool]', 'only this tool, by the name that the server gives it')
    .option('--yes', 'accept without being asked')
    .action((server: string, tool: string | undefined) =>
      verb(async () => (await import('./pins.ts')).acceptVerb(server, tool, { ...pins.opts(), ...accept.opts() }))(),
    )

  const serve = add('serve', 'serve the tools over HTTP on this machine', 'legwork serve --port 4123')
    .option('--port <n>', 'the port; 0 takes any free one (the default)', wholeNumber)
    .option('--host <host>', 'where to listen (default: 127.0.0.1); anything but loopback needs a token of your own')
    .option('--token-file <file>', 'a file that holds the token, readable by you alone (default: a new one each time)')
    .option('--stdio', 'speak to an MCP client that started this command')
    .action(() => verb(async () => (await import('./serve.ts')).serveVerb(serve.opts()))())

  const apply = add('apply', 'apply a diff to a document', 'legwork apply changes.xml report.xml --write')
    .argument('<diff>', 'a file with a <diff>')
    .argument('<file>', 'the document')
    .option('--write', 'write the file instead of printing it')
    .action((diff: string, file: string) =>
      verb(async () => (await import('./apply.ts')).applyVerb(diff, file, apply.opts()))(),
    )

  const exporting = quiet(program.command('export')).description('write the tools for another platform')
  const azure = group(exporting, 'azure', 'write a function app for Azure', 'legwork export azure ./functions')
    .argument('<folder>', 'where to; it is made where it is missing')
    .option('--force', 'write into a folder that has something in it')
    .action((folder: string) =>
      verb(async () => (await import('./export-azure.ts')).exportAzureVerb(folder, azure.opts()))(),
    )

  const doctor = add('doctor', 'what is installed, what is missing, how to get it', 'legwork doctor').action(() =>
    verb(async () => (await import('./doctor.ts')).doctorVerb(version, doctor.opts()))(),
  )

  const completion = add(
    'completion',
    'print a script that completes words in a shell',
    'source <(legwork completion bash)',
  )
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      verb(async () => (await import('./completion.ts')).completionVerb(shell, program, completion.opts()))(),
    )

  try {
    await program.parseAsync(verbFirst(words), { from: 'user' })
    return exitCode
  } catch (error) {
    return explain(error, words.includes('--json'), failed)
  }
}

/** What every verb takes may stand before it too. */
function verbFirst(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => !word.startsWith('-') && words[index - 1] !== '--config')
  if (at <= 0 || !words.slice(0, at).every((word, index) => isGlobal(word) || words[index - 1] === '--config'))
    return words
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return [...words.slice(at, end), ...words.slice(0, at), ...words.slice(end)]
}

function isGlobal(word: string): boolean {
  return word === '--json' || word === '--config' || word.startsWith('--config=')
}

/** Misuse of the command, one sentence and exit code 2. What could not be understood at all comes with how it is written. */
function explain(error: unknown, json: boolean, failed: Command | undefined): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const message = visibleText(messageOf(error).replace(/^error: /, ''))
  const code = error instanceof LegworkError ? error.code : error instanceof CommanderError ? 'usage' : 'internal'
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, code, message })}\n`)
  else process.stderr.write(`${message}\n${failed && code === 'usage' ? usageOf(failed) : ''}`)
  return code === 'internal' || code === 'journal-unavailable' ? 1 : 2
}

function usageOf(command: Command): string {
  if (command.commands.length) return `Run "${nameOf(command)} --help" for what there is.\n`
  return `Usage: ${command.createHelp().commandUsage(command)}\nRun "${nameOf(command)} --help" for its options.\n`
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

/** An option that may be given several times. */
function everyOne(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new CommanderError(2, 'usage', `"${text}" is not a whole number.`)
  return Number(text)
}
