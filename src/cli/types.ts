// `legwork types [FILE]`: writes the declarations of all tools, so that an editor knows what `import { tools } from "toolscript"` gives.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { count } from '../base/text.ts'
import { replaceFile } from '../base/text-file.ts'
import { ambientDeclarations } from '../toolscript/declarations.ts'
import { withLegwork } from './open.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { readTextFile } from './text-file.ts'
import { UsageError } from './usage.ts'

interface TypesOptions extends Globals {
  /** Overwrite a file that this command did not make. Default false. */
  readonly force?: boolean
}

const mark = '// Made by "legwork types", and made anew by it: changes to this file are lost.\n'

export async function typesVerb(file: string, options: TypesOptions): Promise<number> {
  const before = file === '-' ? undefined : oldText(file, options)
  return withLegwork(options, async (legwork) => {
    const tools = await withProgress('Asking the servers', options, () => legwork.tools())
    const text = `${mark}\n${ambientDeclarations(tools)}`
    if (file === '-') {
      if (options.json) printJson({ tools: tools.length, types: text })
      else process.stdout.write(text)
      return 0
    }
    await write(file, text, before)
    if (options.json) printJson({ file: resolve(file), tools: tools.length })
    else print(`Wrote ${file}: ${count(tools.length, 'tool')}.`)
    return 0
  })
}

/** The text of the file that is made anew; undefined where there is none yet. A file of somebody else's is refused. */
function oldText(file: string, { force = false }: TypesOptions): string | undefined {
  const text = readTextFile(file)
  if (text === undefined || force || text.startsWith(mark)) return text
  throw new UsageError(`"${file}" was not made by this command. Name another file, or overwrite it with --force.`)
}

/** Whoever reads the file meanwhile sees the old one or the new one; one that has appeared or changed meanwhile stays. */
async function write(file: string, text: string, before: string | undefined): Promise<void> {
  const place = before === undefined ? { newMode: 0o666 } : { before }
  if (before === undefined && existsSync(file)) throw new UsageError(`"${file}" has appeared meanwhile. Run it again.`)
  const replaced = await replaceFile(file, text, place)
  if (!replaced.ok) throw new UsageError(replaced.message)
}
