import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandFile } from '../support/command.ts'

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
