// The package as npm would publish it, unpacked into an empty project. What it depends on is linked from here, and nothing else is, so
// that a dependency that is not declared is not found.

import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { resultOf } from '../support/command.ts'

export const root = join(import.meta.dirname, '../..')
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Packs once; answers with the folder that holds the tarball's files. */
export function pack(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-pack-'))
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root })
  execFileSync('tar', ['-xzf', join(folder, `${manifest.name}-${manifest.version}.tgz`), '-C', folder])
  return { folder: join(folder, 'package'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Layout {
  /** As npm lays packages out, or as pnpm does: each in a store, with links to what it declares. */
  readonly manager: 'npm' | 'pnpm'
  readonly type: 'module' | 'commonjs'
  /** Packages beside Legwork. */
  readonly beside?: readonly string[]
}

export function install(packed: string, { manager, type, beside = [] }: Layout): string {
  const project = mkdtempSync(join(tmpdir(), 'legwork-installed-'))
  const modules = join(project, 'node_modules')
  const store = manager === 'npm' ? modules : join(modules, `.pnpm/legwork@${manifest.version}/node_modules`)
  mkdirSync(store, { recursive: true })
  execFileSync('cp', ['-R', packed, join(store, 'legwork')])
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
  for (const name of new Set([...declared, ...beside])) link(join(root, 'node_modules', name), join(store, name))
  if (manager === 'pnpm') {
    for (const name of ['legwork', ...beside]) link(join(store, name), join(modules, name))
  }
  link(join('../legwork', manifest.bin.legwork), join(modules, '.bin/legwork'))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type }))
  mkdirSync(join(project, 'skills/hello/scripts'), { recursive: true })
  writeFileSync(join(project, 'skills/hello/SKILL.md'), '---\nname: hello\ndescription: Says hello.\n---\n')
  writeFileSync(join(project, 'skills/hello/scripts/hello.sh'), '#!/bin/bash\n# Says hello.\necho hello\n')
  chmodSync(join(project, 'skills/hello/scripts/hello.sh'), 0o755)
  for (const name of ['doors.mjs', 'common.cjs', 'typed.ts'])
    copyFileSync(join(root, 'test/fixtures/package', name), join(project, name))
  return project
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Runs something in a project with little of our own environment. */
export function runIn(project: string, program: string, words: readonly string[]) {
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  const env = { PATH: path, HOME: project, NO_COLOR: '1' }
  return resultOf(spawn(program, words, { cwd: project, env }), '')
}
