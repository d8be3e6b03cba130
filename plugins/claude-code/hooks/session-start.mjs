// SessionStart: finds the gateway of the session's workspace or starts one, and tells its address to every command of the session.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { findGateway, isHealthy } from './gateways.mjs'
import { failed, readInput } from './input.mjs'
import { startGateway } from './start.mjs'
import { rememberSession, rememberStart, whileAlone } from './state.mjs'
import { workspaceOf } from './workspace.mjs'

try {
  const { session, cwd } = await readInput()
  const address = await gatewayFor(workspaceOf(cwd), session, cwd)
  tell(address)
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
  // The file is read by a shell: nothing but an address may stand there.
  if (!/^http:\/\/[\w.[\]:-]+(\/[\w/-]*)?$/.test(address)) throw new Error(`"${address}" is no address of a gateway.`)
  const file = process.env.CLAUDE_ENV_FILE
  const line = `export TOOLSCRIPT_GATEWAY_URL=${address}\n`
  if (file && !(existsSync(file) && readFileSync(file, 'utf8').includes(line))) appendFileSync(file, line)
  const additionalContext = `Legwork's gateway runs at ${address}. "npx legwork run FILE.ts" runs a toolscript with its tools; "npx legwork tools WORDS" finds them.`
  const output = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
  process.stdout.write(`${JSON.stringify(output)}\n`)
}
