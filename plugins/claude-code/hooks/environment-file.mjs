// The file that CLAUDE_ENV_FILE names: a shell reads it before each command of the session.

import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs'

const name = 'CLAUDE_ENV_FILE'

/** Says no to what is no file before anything is started: a pipe would never be written. */
export function checkEnvironmentFile() {
  const file = process.env[name]
  const stats = file ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (stats && !stats.isFile()) throw new Error(`${name} names "${file}", which is no file. Nothing was started.`)
}

export function exportAddress(address) {
  // Nothing but an address may stand there.
  if (!/^http:\/\/[\w.[\]:-]+(\/[\w/-]*)?$/.test(address)) throw new Error(`"${address}" is no address of a gateway.`)
  const file = process.env[name]
  if (!file) return
  const line = `export TOOLSCRIPT_GATEWAY_URL=${address}\n`
  try {
    if (!(existsSync(file) && readFileSync(file, 'utf8').includes(line))) appendFileSync(file, line)
  } catch (error) {
    throw new Error(`${name} names "${file}", which cannot be written: ${error.message}`)
  }
}
