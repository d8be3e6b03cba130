// The gateways that run on this machine for this user. Each has left a file, readable by its owner alone, with its address.

import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, stateFolder } from './private-file.mjs'

/** The one that serves a workspace, if one does and answers. */
export async function findGateway(workspace) {
  for (const gateway of gateways()) {
    if (sameFolder(gateway.workspace, workspace) && (await isHealthy(gateway.address))) return gateway
  }
  return undefined
}

/** Whether that very process is still that very gateway. */
export function isStillThere(address, pid) {
  return gateways().some((gateway) => gateway.address === address && gateway.pid === pid)
}

export async function isHealthy(address) {
  try {
    const { ok } = await fetch(`${address.replace(/\/$/, '')}/health`, { signal: AbortSignal.timeout(2_000) })
    return ok
  } catch {
    return false
  }
}

function gateways() {
  let names = []
  try {
    names = readdirSync(stateFolder())
  } catch {
    // No gateway has run here yet.
  }
  return names
    .filter((name) => /^gateway-\d+\.json$/.test(name))
    .flatMap((name) => readGateway(join(stateFolder(), name)))
}

function readGateway(path) {
  const { address, pid, workspace } = readPrivate(path) ?? {}
  return typeof address === 'string' && Number.isInteger(pid) && isAlive(pid) ? [{ address, pid, workspace }] : []
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

function sameFolder(one, other) {
  if (typeof one !== 'string') return false
  try {
    return realpathSync(one) === other
  } catch {
    return false
  }
}
