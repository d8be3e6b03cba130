// `legwork init`: finds what is there already, shows it, and writes legwork.jsonc. Secrets stay where they are.

import { lstatSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { fileNames, findConfiguration } from '../configuration/find.ts'
import { createRedactor } from '../outcome/redact.ts'
import { type Found, findAll } from './clients/find.ts'
import { refused } from './confirm.ts'
import { FileError } from './file-error.ts'
import { print, printAside, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { checkFolder } from './text-file.ts'
import { UsageError } from './usage.ts'

interface InitOptions extends Globals {
  /** Writes without a question. */
  readonly yes?: boolean
}

export async function initVerb(options: InitOptions): Promise<number> {
  const file = resolve(options.config ?? 'legwork.jsonc')
  const folder = dirname(file)
  refuseSecond(file)
  const above = options.config === undefined ? configurationAbove(folder) : undefined
  if (above !== undefined && options.yes) throw new UsageError(`${shadowing(above)} ${bothAdvice}`)
  const found = await findAll(folder)
  const text = configurationText(found)
  const warnings = above === undefined ? found.warnings : [...found.warnings, shadowing(above)]
  if (!options.json) for (const warning of warnings) printAside(`Warning: ${warning}`)
  const shown = `${described(found)}\n${relative(process.cwd(), file)}:\n${createRedactor().text(text)}`
  const refusal = await refused({ file, shown, question: `Write ${relative(process.cwd(), file)}?` }, options)
  if (refusal !== undefined) return refusal
  writeNew(file, text)
  const { origins, servers, ...told } = found
  if (options.json) printJson({ ok: true, file, ...told, warnings, servers: Object.keys(servers), from: origins })
  else
    print(
      `Wrote ${relative(process.cwd(), file)}. Next: "legwork doctor" looks whether all of it works, "legwork tools" lists it.`,
    )
  return 0
}

/** Where two stand, neither is read. */
function refuseSecond(file: string): void {
  const names = [file, ...fileNames.map((name) => join(dirname(file), name))]
  const there = names.find((path) => lstatSync(path, { throwIfNoEntry: false }))
  if (there !== undefined) throw new FileError(`There is a "${there}" already. Edit it, or move it away first.`)
}

/** One that cannot be read for us, as it is somebody else's, is no reason to ask. */
function configurationAbove(folder: string): string | undefined {
  try {
    return findConfiguration(dirname(folder))
  } catch {
    return undefined
  }
}

function shadowing(above: string): string {
  return `"${above}" holds for this folder already; a legwork.jsonc here is read in its place, not with it.`
}

const bothAdvice = 'If you want that, run "legwork init --config legwork.jsonc --yes".'

function writeNew(file: string, text: string): void {
  checkFolder(dirname(file))
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new FileError(`"${file}" cannot be written: ${messageOf(error)}`)
  }
}

function configurationText({ servers, programs }: Found): string {
  const keys = {
    $schema: './node_modules/legwork/schema.json',
    ...(Object.keys(servers).length && { mcpServers: servers }),
    ...(programs.length && { programs: Object.fromEntries(programs.map((name) => [name, {}])) }),
  }
  return `// What Legwork serves, and what it may do. Every key is described in the schema.\n${listsInOneLine(JSON.stringify(keys, null, 2))}\n`
}

/** `["-y", "x"]` reads better on one line. */
function listsInOneLine(text: string): string {
  return text.replace(/\[\n\s+((?:"(?:[^"\\]|\\.)*",?\s*)+)\]/g, (_, items: string) => {
    return `[${items.trim().replace(/,\n\s+/g, ', ')}]`
  })
}

function described({ origins, programs, skills, variables }: Found): string {
  const lines = origins.map((origin) => `Found ${origin}`)
  if (programs.length) lines.push(`Found programs that Legwork knows: ${programs.join(', ')}`)
  for (const path of skills)
    lines.push(`Found skills in ${relative(process.cwd(), path) || path} (they are looked for there anyway)`)
  if (variables.length) lines.push('Secrets were not copied. Set these variables for Legwork to what stands there:')
  for (const { variable, server, file } of variables) lines.push(`  ${variable}  for "${server}", from ${file}`)
  return `${lines.join('\n')}\n`
}
