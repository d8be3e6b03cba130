// `node scripts/deno-types.ts`: writes what a script finds at run time as declarations, for the checker: the language, from the
// libraries of the pinned TypeScript, and the platform, from the pinned Deno's own `deno types`. One file, because the checker
// asks for each; without comments, which is a third of the size.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** What is there at run time and not in `deno types`: they come from Deno's Node types, which are too large to check against. */
const added = `
interface Timeout { ref(): this; unref(): this; hasRef(): boolean; refresh(): this; close(): this; [Symbol.toPrimitive](): number; [Symbol.dispose](): void }
declare function setTimeout(callback: (...args: any[]) => void, delay?: number, ...args: any[]): Timeout;
declare function setInterval(callback: (...args: any[]) => void, delay?: number, ...args: any[]): Timeout;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): Timeout;
declare function clearTimeout(timer?: Timeout | number): void;
declare function clearInterval(timer?: Timeout | number): void;
declare function clearImmediate(timer?: Timeout | number): void;
declare const process: any;
declare const Buffer: any;
declare const global: typeof globalThis;
declare module "node:*";
`

const target = new URL('../src/toolscript/deno-types.txt', import.meta.url)
const { resolve } = createRequire(import.meta.url)
const deno = resolve('@deno/linux-x64-glibc/deno')
const text = execFileSync(deno, ['types'], { encoding: 'utf8', maxBuffer: 64 * 1_048_576 })

// A library that is a module must stay one, and must not make one of the others; a rule stands between the files.
const all = [...libraries('esnext'), text].map(stripped).concat(added.trim())
const isModule = (declared: string) => /^export \{\};?$/m.test(declared)
const files = [all.filter((declared) => !isModule(declared)).join('\n'), ...all.filter(isModule)]
writeFileSync(target, `${files.join('\n----\n')}\n`)

/** A library of TypeScript with all that it refers to, each once. */
function libraries(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`
  const folder = join(dirname(createRequire(resolve('typescript/package.json')).resolve(platform)), 'lib')
  const declared = readFileSync(join(folder, `lib.${name}.d.ts`), 'utf8')
  const referred = [...declared.matchAll(/^\/\/\/ <reference lib="([^"]+)" \/>/gm)].map(([, other = '']) => other)
  return [...referred.flatMap((other) => libraries(other, seen)), declared]
}

/** Without comments, `/// <reference>` among them, and without blank lines and indentation. */
function stripped(declarations: string): string {
  const { comments, errors } = parseSync('deno.d.ts', declarations)
  if (errors.length) throw new Error(`"deno types" does not parse: ${errors[0]?.message}`)
  let code = ''
  let at = 0
  for (const { start, end } of comments) {
    code += declarations.slice(at, start)
    at = end
  }
  return (code + declarations.slice(at))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}
