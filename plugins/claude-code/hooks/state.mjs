// Which gateways the plugin has started, and which sessions use them: one file a workspace.

import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isClientAlive } from './client.mjs'
import { prepareStateFolder, readPrivate, stateFolder, writePrivate } from './private-file.mjs'
import { removeLog, stopGateway } from './stop.mjs'

/** A session that was killed never says that it ends. Where its client is gone, it counts for so long after it last did something. */
const goneMs = 10 * 60_000
/** The same where nobody knows its client. */
const unknownMs = 24 * 3_600_000
/** Longer than a start may take. */
const lockMs = 55_000
/** The end of a session waits for nobody. */
const shortWaitMs = 300

/** Notes a gateway that was started now. What it replaces has ended, and leaves nothing behind. */
export function rememberStart(workspace, session, { address, pid, log }) {
  const path = fileOf(workspace)
  removeLog(readStart(path)?.log)
  writePrivate(path, { workspace, address, pid, log, sessions: [session] })
}

/** Notes that a session uses a gateway, if it is one that the plugin has started. */
export function rememberSession(workspace, session, { address, pid }) {
  const path = fileOf(workspace)
  const started = readStart(path)
  if (started?.address !== address || started.pid !== pid) return
  writePrivate(path, { ...started, sessions: [...started.sessions.filter(({ id }) => id !== session.id), session] })
}

/** Forgets a session that ends, if there is one, and those that have gone; stops the gateways that nobody uses now. */
export async function forgetSessions(ending) {
  for (const path of startFiles()) {
    const isLeaving = (session) => session.id === ending || isGone(session)
    if (!readStart(path)?.sessions.some(isLeaving)) continue
    // Where another hook holds it, a session is beginning: whoever is left is found by the next hook.
    await whileLocked(path, shortWaitMs, 'skip', async () => {
      const started = readStart(path)
      const sessions = started?.sessions.filter((session) => !isLeaving(session))
      if (!sessions) return
      if (sessions.length) return writePrivate(path, { ...started, sessions })
      rmSync(path, { force: true })
      await stopGateway(started)
    })
  }
}

function isGone({ client, transcript, at }) {
  if (client && isClientAlive(client)) return false
  const written = transcript ? statSync(transcript, { throwIfNoEntry: false })?.mtimeMs : undefined
  return Date.now() - Math.max(at, written ?? 0) > (client ? goneMs : unknownMs)
}

/** Lets one hook of a workspace in at a time, so that two sessions that begin at once do not start two gateways. */
export function whileAlone(workspace, work) {
  prepareStateFolder()
  // Whoever holds it for longer was killed, or hangs: better two gateways than a session that does not begin.
  return whileLocked(fileOf(workspace), lockMs, 'go on', work)
}

async function whileLocked(path, waitMs, orElse, work) {
  const lock = `${path}.lock`
  const giveUpAt = Date.now() + waitMs
  let isOurs = take(lock)
  while (!isOurs && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    isOurs = take(lock)
  }
  if (!isOurs && orElse === 'skip') return undefined
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
  const { address, pid, sessions } = value ?? {}
  const isWhole = typeof address === 'string' && Number.isInteger(pid) && Array.isArray(sessions)
  return isWhole && sessions.every(isSession) ? value : undefined
}

function isSession(value) {
  return typeof value === 'object' && value !== null && typeof value.id === 'string' && Number.isFinite(value.at)
}

function fileOf(workspace) {
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  return join(stateFolder(), `claude-code-${hash}.json`)
}
