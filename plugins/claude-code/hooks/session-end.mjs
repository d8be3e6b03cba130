// SessionEnd: stops the gateway that the plugin started, once no other session uses it. A gateway that somebody else started stays.

import { failed, readSession } from './input.mjs'
import { forgetSessions } from './state.mjs'

try {
  const { session } = await readSession()
  await forgetSessions(session)
} catch (error) {
  failed(error)
}
