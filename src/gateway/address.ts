// Where a gateway may listen, and which Hosts then mean it.

import { isIP } from 'node:net'

/** What to listen on: `localhost` means 127.0.0.1, whatever a hosts file says. */
export function listenHost(host: string): string {
  return host.toLowerCase() === 'localhost' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1')
}

export function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The address that clients on this machine use. */
export function addressOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${bracketed(reached)}:${port}`
}

/**
 * Whether a Host means a server on that address and port. On loopback that is the address itself and `localhost`; elsewhere also
 * every address in numbers, because only a name can be made to lead to another machine than its owner's.
 */
export function meansHost(given: string, host: string, port: number | undefined): boolean {
  const [, name = '', ofPort] = /^(.*):(\d+)$/.exec(given.toLowerCase()) ?? []
  if (ofPort !== String(port)) return false
  if (name === 'localhost' || name === bracketed(host).toLowerCase()) return true
  return !isLoopback(host) && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
