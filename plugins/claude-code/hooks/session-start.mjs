// SessionStart: finds the gateway of the session's workspace or starts one, and tells its address to every command of the session.

import { findClient } from './client.mjs'
import { checkEnvironmentFile, exportAddress } from './environment-file.mjs'
import { findGateway, isHealthy } from './gateways.mjs'
import { failed, folderIn, readSession } from './input.mjs'
import { startGateway } from './start.mjs'
import { forgetSessions, rememberSession, rememberStart, whileAlone } from './state.mjs'
import { workspaceOf } from './workspace.mjs'

try {
  const { session: id, transcript, input } = await readSession()
  const cwd = folderIn(input)
  checkEnvironmentFile()
  const session = { id, transcript, client: findClient(), at: Date.now() }
  tell(await gatewayFor(workspaceOf(cwd), session, cwd))
  await forgetSessions()
} catch (error) {
  failed(error)
}

/** The one that the user named, else the one that serves the workspace already, else a new one. */
async function gatewayFor(workspace, session, cwd) {
  const named = process.env.TOOLSCRIPT_GATEWAY_URL
  if (named && (await isHealthy(named))) return named
  return whileAlone(workspace, async () => {
    const found = await findGateway(workspace)
    if (found) {
      rememberSession(workspace, session, found)
      return found.address
    }
    const started = await startGateway(cwd)
    rememberStart(workspace, session, started)
    return started.address
  })
}

function tell(address) {
  exportAddress(address)
  const additionalContext = `Legwork's gateway runs at ${address}. "npx legwork run FILE.ts" runs a toolscript with its tools; "npx legwork tools WORDS" finds them.`
  const output = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
  process.stdout.write(`${JSON.stringify(output)}\n`)
}
