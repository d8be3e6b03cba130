// SessionEnd: stops the gateway that the plugin started, once no other session uses it. A gateway that somebody else started stays.
// The client waits for little more than a second, so nothing here waits for the gateway's end.

import { rmSync } from 'node:fs'
import { isStillThere } from './gateways.mjs'
import { failed, readInput } from './input.mjs'
import { forgetSession } from './state.mjs'

try {
  const { session } = await readInput()
  for (const { address, pid, log } of forgetSession(session)) {
    // The number may be another process's by now.
    if (isStillThere(address, pid)) process.kill(pid, 'SIGTERM')
    if (log) rmSync(log, { force: true })
  }
} catch (error) {
  failed(error)
}
