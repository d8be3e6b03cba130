// Stops a gateway that the plugin has started.

import { rmSync } from 'node:fs'
import { isStillThere } from './gateways.mjs'

/** The client waits for little more than a second. */
const endMs = 700

/** Waits a moment for the end, so that a session that begins now does not find a gateway that is going. */
export async function stopGateway({ address, pid, log }) {
  // The number may be another process's by now.
  if (isStillThere(address, pid)) process.kill(pid, 'SIGTERM')
  removeLog(log)
  for (const giveUpAt = Date.now() + endMs; isStillThere(address, pid) && Date.now() < giveUpAt; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export function removeLog(log) {
  if (typeof log === 'string') rmSync(log, { force: true })
}
