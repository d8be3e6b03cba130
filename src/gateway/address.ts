// Where a gateway may listen, and which Hosts then mean it.

import { isIP } from 'node:net'
import { isLoopbackAddress } from '../base/host.ts'

/** What to listen on: `localhost` means 127.0.0.1, whatever a hosts file says. */
export function listenHost(host: string): string {
  return host.toLowerCase() === 'localhost' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1')
}

/** The address that clients on this machine use. */
export function addressOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  // Without the port that every client leaves out.
  return new URL(`http://${bracketed(reached)}:${port}`).origin
}

/**
 * Whether a Host means a server on that address and port. On loopback that is the address itself and `localhost`; elsewhere also
 * every address in numbers, because only a name can be made to lead to another machine than its owner's.
 */
export function meansHost(given: string, host: string, port: number | undefined): boolean {
  const [, name = '', ofPort = '80'] = /^(.*?)(?::(\d+))?$/.exec(given.toLowerCase()) ?? []
  if (ofPort !== String(port)) return false
  if (name === 'localhost' || name === bracketed(host).toLowerCase()) return true
  return !isLoopbackAddress(host) && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
