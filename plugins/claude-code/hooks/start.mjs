// Starts `legwork serve` so that it outlives the hook, and waits until it has said its address.

import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ownCommand } from './own-command.mjs'
import { stateFolder } from './private-file.mjs'

/** npx may have to fetch the package first. The client gives the hook 60 seconds. */
const startMs = 50_000

/** Answers with its address, its process id and the file that holds what it prints. */
export async function startGateway(cwd) {
  const [program, ...args] = [...legworkCommand(cwd), 'serve', '--json']
  const log = join(stateFolder(), `claude-code-${process.pid}-${Date.now()}.out`)
  const output = openSync(log, 'wx', 0o600)
  const { TOOLSCRIPT_GATEWAY_URL: _, CLAUDE_ENV_FILE: __, ...env } = process.env
  // A Windows command file needs a shell; no word of it comes from outside.
  const shell = process.platform === 'win32' && program !== process.execPath
  const stdio = ['ignore', output, output]
  const child = spawn(program, args, { cwd, env, stdio, detached: true, windowsHide: true, shell })
  closeSync(output)
  try {
    const told = await until(child, () => announcement(log))
    child.unref()
    return { ...told, log }
  } catch (error) {
    stop(child)
    const said = existsSync(log) ? readFileSync(log, 'utf8').trim().slice(0, 2_000) : ''
    rmSync(log, { force: true })
    throw new Error(`The gateway did not start: ${said || error.message}`)
  }
}

/**
 * The project's own Legwork, else the one on the path, else the one that npx gets. Left to itself, npx would run a command, and
 * believe a .npmrc, of whoever has put one into a folder above this one.
 */
function legworkCommand(cwd) {
  const own = ownCommand(cwd)
  if (own) return [process.execPath, own]
  const name = process.platform === 'win32' ? 'legwork.cmd' : 'legwork'
  const isInstalled = (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder && existsSync(join(folder, name)))
  return isInstalled ? ['legwork'] : ['npx', '-y', `--prefix=${stateFolder()}`, 'legwork']
}

/** The line of JSON that says where it listens; warnings may stand before it. */
function announcement(log) {
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    try {
      const { ok, address, pid } = JSON.parse(line)
      if (ok === true && typeof address === 'string' && Number.isInteger(pid)) return { address, pid }
    } catch {
      // Something else that was printed, or half a line.
    }
  }
  return undefined
}

function until(child, look) {
  return new Promise((resolve, reject) => {
    const giveUpAt = Date.now() + startMs
    const timer = setInterval(() => {
      const found = look()
      if (found) finish(resolve, found)
      else if (Date.now() > giveUpAt) finish(reject, new Error(`it said no address within ${startMs / 1_000} seconds.`))
    }, 25)
    const finish = (settle, value) => {
      clearInterval(timer)
      settle(value)
    }
    child.once('error', (error) => finish(reject, error))
    child.once('exit', (code, signal) => finish(reject, new Error(`it ended with ${signal ?? `exit code ${code}`}.`)))
  })
}

/** It leads a process group of its own, so npx and what it has started go together. */
function stop({ pid }) {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM')
  } catch {
    // It has ended already.
  }
}
