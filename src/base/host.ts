// Where a name or an address leads, as far as it says so itself: to this machine, into a network that is not everybody's, or
// out to the internet.

import { BlockList, isIP } from 'node:net'

/** From the nearest to the farthest. */
export type Reach = 'machine' | 'network' | 'internet'

/** Whether a host, as an address has it, is this machine: `localhost`, a name below it, or a loopback address. */
export function isLoopback(host: string): boolean {
  return isLoopbackAddress(host) || /^(.+\.)?localhost$/i.test(host)
}

/** The same of addresses in numbers alone: a name can be made to lead elsewhere. */
export function isLoopbackAddress(host: string): boolean {
  return isIn(loopback, bare(host))
}

/** An address in numbers that stands for another, such as one that is mapped or translated, counts as the nearer of the two. */
export function reachOf(host: string): Reach {
  const name = bare(host).toLowerCase().replace(/\.+$/, '')
  if (isIP(name) !== 0) return isIn(machine, name) ? 'machine' : isIn(network, name) ? 'network' : 'internet'
  if (isLoopback(name) || name.startsWith('localhost.')) return 'machine'
  return !name.includes('.') || localEnds.test(name) ? 'network' : 'internet'
}

const localEnds = /\.(local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function isIn(list: () => BlockList, host: string): boolean {
  const family = isIP(host)
  return family !== 0 && list().check(host, family === 6 ? 'ipv6' : 'ipv4')
}

/** Made when first asked for: that takes milliseconds, and most commands never ask. */
function listOf(...subnets: readonly string[]): () => BlockList {
  let list: BlockList | undefined
  return () => (list ??= fill(new BlockList(), subnets))
}

function fill(list: BlockList, subnets: readonly string[]): BlockList {
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

// A rule for IPv4 also holds for the same address mapped into IPv6.
const loopback = listOf('127.0.0.0/8', '::1/128')
const machine = listOf('127.0.0.0/8', '0.0.0.0/8', '::/127')
const network = listOf(
  ...['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/3'],
  ...['fc00::/7', 'fe80::/9', 'ff00::/8'],
  // Addresses of IPv4 in other clothes: compatible, translated, 6to4, Teredo.
  ...['::/96', '64:ff9b::/32', '2002::/16', '2001::/32'],
)
