// Writes dist/. Runs on any Node from 20.19 on, because npm runs it while it installs.
// The compiler makes a file for each of src/, with its declarations. The code is then joined: to start from hundreds of small
// files takes three times as long as from a few. A package that is no dependency of ours is joined in too, with its licence.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

// Made beside and then put in place, so that whoever uses the old one meanwhile never finds half of it.
const fresh = `dist-${process.pid}`
const joined = `${fresh}-joined`
const old = `${fresh}-old`
const compiler = 'node_modules/typescript/bin/tsc'
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
  stdio: 'inherit',
})
if (status !== 0) {
  rmSync(fresh, { recursive: true, force: true })
  process.exit(status ?? 1)
}
await joinCode(resolve(fresh), resolve(joined))
for (const file of codeIn(fresh)) rmSync(join(fresh, file))
cpSync(joined, fresh, { recursive: true })
rmSync(joined, { recursive: true })
copyFileSync('src/toolscript/deno-types.txt', `${fresh}/parts/deno-types.txt`)
chmodSync(`${fresh}/cli/main.js`, 0o755)
if (existsSync('dist')) renameSync('dist', old)
renameSync(fresh, 'dist')
rmSync(old, { recursive: true, force: true })

/**
 * One file for each door, and below parts/ one with everything that the library always needs and one for each thing that is loaded when
 * it is first used. What finds files beside itself finds them in parts/, which is as deep as the folders of src/.
 */
async function joinCode(from, to) {
  const doors = codeIn(from).filter((file) => /^(doors|adapters)\//.test(file))
  const named = ['index.js', 'cli/main.js', ...doors].map((file) => [file, file])
  const threads = ['sandbox/isolate-thread-main.js', 'sandbox/work-threads-main.js', 'contract/pure-functions.js']
  const started = ['run/helper-main.js', ...threads].map((file) => [file.replace(/^\w+/, 'parts'), file])
  const input = [...named, ...started].map(([name, file]) => [name.replace(/\.js$/, ''), join(from, file)])
  const beside = installedBeside()
  const first = new Set()
  const always = new Set()
  const bundle = await rolldown({
    input: Object.fromEntries(input),
    platform: 'node',
    preserveEntrySignatures: 'strict',
    // jsonc-parser names its modules in an older way, and its CommonJS cannot be joined.
    resolve: { mainFields: ['module', 'main'] },
    external: (id) => isBuiltin(id) || beside.some((name) => id === name || id.startsWith(`${name}/`)),
    checks: { ineffectiveDynamicImport: false },
    plugins: [{ name: 'always', buildEnd: collect }],
  })
  function collect() {
    const take = (id, into) => {
      if (into.has(id)) return
      into.add(id)
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) take(imported, into)
    }
    take(join(from, 'cli/program.js'), first)
    take(join(from, 'index.js'), always)
  }
  const { output } = await bundle.write({
    dir: to,
    format: 'esm',
    // Errors are called what their classes are called.
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
    // What the command needs before it knows its verb stands apart: help loads nothing else.
    codeSplitting: {
      groups: [
        { name: 'first', test: (id) => first.has(id), priority: 2 },
        { name: 'core', test: (id) => always.has(id), priority: 1 },
      ],
    },
  })
  await bundle.close()
  writeFileSync(join(to, 'third-party-licences.txt'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))
}

/** The packages that are left to be installed beside this one. */
function installedBeside() {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

function licencesOf(files) {
  const packages = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/')) ?? []),
  )
  return [...packages].toSorted().map(licenceOf).join('\n')
}

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file, so it cannot be joined in. Make it a dependency.`)
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}

function codeIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.js'))
}
