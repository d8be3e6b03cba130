// Which gateways the plugin has started, and which sessions use them: one file a workspace.

import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareStateFolder, readPrivate, stateFolder, writePrivate } from './private-file.mjs'

/** A session that was killed never says that it ends. After so long it does not count any more. */
const sessionMs = 24 * 3_600_000
/** Longer than a start may take. */
const lockMs = 55_000
/** The end of a session waits for nobody. */
const shortWaitMs = 300

export function rememberStart(workspace, session, { address, pid, log }) {
  writePrivate(fileOf(workspace), { workspace, address, pid, log, sessions: [{ id: session, at: Date.now() }] })
}

/** Notes that a session uses a gateway, if it is one that the plugin has started. */
export function rememberSession(workspace, session, { address, pid }) {
  const path = fileOf(workspace)
  const started = readStart(path)
  if (started?.address !== address || started.pid !== pid) return
  const others = started.sessions.filter(({ id }) => id !== session)
  writePrivate(path, { ...started, sessions: [...others, { id: session, at: Date.now() }] })
}

/** Notes that a session has ended, and stops the gateways that nobody uses now. */
export async function forgetSession(session, stop) {
  for (const path of startFiles()) {
    await whileLocked(path, shortWaitMs, async () => {
      const started = readStart(path)
      if (!started?.sessions.some(({ id }) => id === session)) return
      const sessions = started.sessions.filter(({ id, at }) => id !== session && Date.now() - at < sessionMs)
      if (sessions.length) return writePrivate(path, { ...started, sessions })
      rmSync(path, { force: true })
      await stop(started)
    })
  }
}

/** Lets one hook of a workspace in at a time, so that two sessions that begin at once do not start two gateways. */
export function whileAlone(workspace, work) {
  prepareStateFolder()
  return whileLocked(fileOf(workspace), lockMs, work)
}

async function whileLocked(path, waitMs, work) {
  const lock = `${path}.lock`
  const giveUpAt = Date.now() + waitMs
  let isOurs = take(lock)
  while (!isOurs && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    isOurs = take(lock)
  }
  // Whoever holds it for longer was killed, or hangs: better two gateways than a session that does not begin.
  try {
    return await work()
  } finally {
    if (isOurs) rmSync(lock, { force: true })
  }
}

function take(lock) {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    const stats = statSync(lock, { throwIfNoEntry: false })
    // Its owner was killed.
    if (stats && Date.now() - stats.mtimeMs > lockMs) rmSync(lock, { force: true })
    return false
  }
}

function startFiles() {
  try {
    const names = readdirSync(stateFolder()).filter((name) => /^claude-code-[\da-f]{16}\.json$/.test(name))
    return names.map((name) => join(stateFolder(), name))
  } catch {
    return []
  }
}

function readStart(path) {
  const value = readPrivate(path)
  const isWhole =
    value && typeof value.address === 'string' && Number.isInteger(value.pid) && Array.isArray(value.sessions)
  return isWhole ? value : undefined
}

function fileOf(workspace) {
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  return join(stateFolder(), `claude-code-${hash}.json`)
}
