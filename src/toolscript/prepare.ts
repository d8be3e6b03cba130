// From a script that has been checked to the one module that the box runs: types gone, files of the project joined, a `return`
// outside functions made the module's value, and a source map by which every stack names the user's own lines.

import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Module, ModuleGraph } from './imports.ts'
import { languageOf } from './parse.ts'

interface Code {
  readonly code: string
  readonly map: SourceMap | undefined
}

interface SourceMap {
  readonly version: number
  readonly sources: readonly (string | null)[]
  readonly sourcesContent?: readonly (string | null)[] | undefined
  readonly names: readonly string[]
  readonly mappings: string
}

export async function prepareScript({ entry, files }: ModuleGraph): Promise<string> {
  const prepared = await plainModule(entry)
  const { code, map } = files.size ? await bundled(entry, prepared, files) : prepared
  if (!map) return code
  // Addresses that are whole, because Deno shows those as they are; the text itself is not needed.
  const sources = map.sources.map((source) => pathToFileURL(resolve(dirname(entry.path), source ?? entry.path)).href)
  const inline = JSON.stringify({ ...map, sources, sourcesContent: undefined })
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(inline).toString('base64')}\n`
}

async function plainModule({ path, text, parsed }: Module): Promise<Code> {
  const { transformSync } = await import('oxc-transform')
  const { code, map } = transformSync(path, text, { lang: languageOf(path), sourceType: 'module', sourcemap: true })
  const stripped = { code, map: map && { ...map, sources: [path] } }
  return parsed.returns.length ? returning(stripped) : stripped
}

/**
 * The module as a function that is called at once. A `throw` for each `return` would be simpler, and would be caught by the
 * script's own `try`.
 */
async function returning({ code: stripped, map }: Code): Promise<Code> {
  const { parseSync } = await import('oxc-parser')
  // What is left of a module whose imports were types or not used.
  const code = stripped.replace(/(^|\n)export \{\};\s*$/, '$1')
  const { module } = parseSync('script.js', code, { sourceType: 'module', lang: 'js' })
  let body = code
  const imports: string[] = []
  const blank = (start: number, end: number) => {
    body = body.slice(0, start) + body.slice(start, end).replace(/[^\n]/g, ' ') + body.slice(end)
  }
  for (const { start, end } of module.staticImports) {
    imports.push(
      code
        .slice(start, end)
        .replace(/\s*\n\s*/g, ' ')
        .replace(/;?$/, ';'),
    )
    blank(start, end)
  }
  for (const { start, end } of module.staticExports) {
    const [word = ''] = /^export\s+(?=(?:const|let|var|function|class|async)\b)/.exec(code.slice(start, end)) ?? []
    blank(start, word ? start + word.length : end)
  }
  const wrapped = `${imports.join(' ')}export default await (async () => {\n${body.trimEnd()}\n})()`
  // One line in front, and a last line that is nobody's: else it would show as a frame of the user's.
  return { code: wrapped, map: map && { ...map, mappings: `;${map.mappings.replace(/;*$/, '')};A` } }
}

async function bundled(entry: Module, prepared: Code, files: ReadonlyMap<string, Module>): Promise<Code> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    input: entry.path,
    treeshake: false,
    tsconfig: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'project',
        resolveId: (source, importer) => {
          if (importer === undefined) return entry.path
          const module = importer === entry.path ? entry : files.get(importer)
          // What is not known here stays as it is written, for the box to refuse: nothing is looked for on the disk.
          return module?.imports.get(source) ?? { id: source, external: true }
        },
        load: async (id) => {
          const module = files.get(id)
          if (!module && id !== entry.path) throw new Error(`"${id}" is no file of the script.`)
          if (module && /\.json$/.test(id)) return { code: module.text, moduleType: 'json' }
          const { code, map } = module ? await plainModule(module) : prepared
          return { code, map: map ? JSON.stringify(map) : null, moduleType: 'js' }
        },
      },
    ],
  })
  try {
    const { output } = await build.generate({ format: 'esm', sourcemap: true, codeSplitting: false })
    return { code: output[0].code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, ''), map: output[0].map ?? undefined }
  } finally {
    await build.close()
  }
}
