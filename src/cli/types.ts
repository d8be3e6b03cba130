// `legwork types [FILE]`: writes the declarations of all tools, so that an editor knows what `import { tools } from "toolscript"` gives.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { messageOf } from '../base/json.ts'
import { count } from '../base/text.ts'
import { ambientDeclarations } from '../toolscript/declarations.ts'
import { withLegwork } from './open.ts'
import { print, printJson } from './print.ts'
import type { Globals } from './program.ts'
import { withProgress } from './progress.ts'
import { UsageError } from './usage.ts'

interface TypesOptions extends Globals {
  /** Overwrite a file that this command did not make. Default false. */
  readonly force?: boolean
}

const mark = '// Made by "legwork types", and made anew by it: changes to this file are lost.\n'

export async function typesVerb(file: string, options: TypesOptions): Promise<number> {
  const path = resolve(file)
  const isThere = file !== '-' && checkFile(path, file, options)
  return withLegwork(options, async (legwork) => {
    const tools = await withProgress('Asking the servers', options, () => legwork.tools())
    const text = `${mark}\n${ambientDeclarations(tools)}`
    if (file === '-') {
      if (options.json) printJson({ tools: tools.length, types: text })
      else process.stdout.write(text)
      return 0
    }
    write(path, text, isThere, file)
    if (options.json) printJson({ file: path, tools: tools.length })
    else print(`Wrote ${file}: ${count(tools.length, 'tool')}.`)
    return 0
  })
}

/** Whether the file exists; a file of somebody else's is refused. */
function checkFile(path: string, file: string, { force = false }: TypesOptions): boolean {
  try {
    const isOurs = readFileSync(path, 'utf8').startsWith(mark)
    if (isOurs || force) return true
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return false
    throw new UsageError(`"${file}" cannot be written: ${messageOf(error)}`)
  }
  throw new UsageError(`"${file}" was not made by this command. Name another file, or overwrite it with --force.`)
}

/** Whoever reads the file meanwhile sees the old one or the new one; one that has appeared meanwhile stays. */
function write(path: string, text: string, isThere: boolean, file: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(isThere ? temporary : path, text, { flag: 'wx' })
    if (isThere) renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new UsageError(`"${file}" cannot be written: ${messageOf(error)}`)
  }
}
