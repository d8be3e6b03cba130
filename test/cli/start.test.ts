import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandFile } from '../support/command.ts'
import { temporaryFolder } from '../support/temporary.ts'

const start = (...words: string[]) =>
  spawnSync(process.execPath, words, { encoding: 'utf8', env: { PATH: process.env.PATH } })

test('on a Node that is too old the command says so in one sentence', () => {
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
  const { status, stdout, stderr } = start('--import', pretend, commandFile, 'tools')
  expect(status).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toBe('Legwork needs Node 24 or later; this is Node 20.20.2. Get one from https://nodejs.org.\n')
})

test('what answers first loads nothing but Node: an old one can read it', () => {
  const text = readFileSync(commandFile, 'utf8')
  const statically = [...text.matchAll(/^import (?:.* from )?["']([^"']+)["']/gm)].map((match) => match[1])
  // The runtime of the bundle is a few lines that any Node can read.
  expect(statically.filter((name) => name !== '../parts/rolldown-runtime.js')).toEqual(['node:fs'])
})

test('the version and the help load none of the heavy parts', () => {
  const spy = `data:text/javascript,process.on('exit',()=>{for(const name of ['node:sqlite','node:child_process'])if(process.moduleLoadList.includes('NativeModule '+name.slice(5)))console.log('loaded',name)})`
  expect(start('--import', spy, commandFile, '--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(start('--import', spy, commandFile, '--help').stdout).not.toContain('loaded node:sqlite')
})

test('the folder of the built command lies as the sources do', () => {
  expect(commandFile.endsWith(join('dist', 'cli', 'main.js'))).toBe(true)
})

describe('compiled code', () => {
  const help = (home: string, more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [commandFile, '--help'], { encoding: 'utf8', env: { HOME: home, ...more } })
  const kept = (home: string) => join(home, '.cache', 'legwork')

  test("is kept in a folder of the user's own, and used again", () => {
    const home = temporaryFolder()
    expect(help(home).status).toBe(0)
    expect(statSync(kept(home)).mode & 0o777).toBe(0o700)
    expect(readdirSync(kept(home))).toHaveLength(1)
    const first = readdirSync(kept(home), { recursive: true })
    expect(first.length).toBeGreaterThan(1)
    expect(help(home)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(kept(home), { recursive: true }).toSorted()).toEqual(first.toSorted())
  })

  test('is neither read from nor written to a folder that others may write to', () => {
    const home = temporaryFolder()
    mkdirSync(kept(home), { recursive: true })
    chmodSync(kept(home), 0o777)
    expect(help(home).status).toBe(0)
    expect(readdirSync(kept(home))).toEqual([])
  })

  test('is not kept behind a link, which may lead to what others write', () => {
    const [home, elsewhere] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(home, '.cache'))
    symlinkSync(elsewhere, kept(home))
    expect(help(home).status).toBe(0)
    expect(readdirSync(elsewhere)).toEqual([])
  })

  test.each([
    ['a home that is missing', { HOME: '/proc/missing' }],
    ['a Node that was told to keep none', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ])('is not missed with %s', (_, environment) => {
    const home = temporaryFolder()
    expect(help(home, environment)).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(kept(home))).toBe(false)
  })
})
