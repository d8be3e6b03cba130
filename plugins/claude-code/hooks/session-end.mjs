// SessionEnd: stops the gateway that the plugin started, once no other session uses it. A gateway that somebody else started stays.

import { rmSync } from 'node:fs'
import { isStillThere } from './gateways.mjs'
import { failed, readInput } from './input.mjs'
import { forgetSession } from './state.mjs'

/** The client waits for little more than a second. */
const endMs = 700

try {
  const { session } = await readInput()
  await forgetSession(session, stop)
} catch (error) {
  failed(error)
}

/** Waits a moment for the end, so that a session that begins now does not find a gateway that is going. */
async function stop({ address, pid, log }) {
  // The number may be another process's by now.
  if (isStillThere(address, pid)) process.kill(pid, 'SIGTERM')
  if (typeof log === 'string') rmSync(log, { force: true })
  for (const giveUpAt = Date.now() + endMs; isStillThere(address, pid) && Date.now() < giveUpAt; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
