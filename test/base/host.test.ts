import { expect, test } from 'vitest'
import { isLoopback, isLoopbackAddress, reachOf } from '../../src/base/host.ts'

const hostOf = (address: string) => new URL(address).hostname

test.each([
  ...['https://127.0.0.1', 'https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1', 'https://127.1'],
  ...['https://[::1]', 'https://[0:0:0:0:0:0:0:1]', 'https://[::ffff:127.0.0.1]', 'https://[::ffff:7f00:1]'],
  ...['https://0.0.0.0', 'https://0', 'https://[::]', 'https://[::ffff:0.0.0.0]'],
  ...['https://localhost', 'https://LOCALHOST', 'https://localhost.', 'https://a.localhost', 'https://a.localhost.'],
  ...['https://localhost.localdomain', 'https://localhost.example'],
])('%s is this machine', (address) => {
  expect(reachOf(hostOf(address))).toBe('machine')
})

test.each([
  ...['https://10.0.0.1', 'https://172.31.255.255', 'https://192.168.1.1', 'https://169.254.169.254'],
  ...['https://100.64.0.1', 'https://167772161', 'https://[::ffff:10.0.0.1]', 'https://[::ffff:a9fe:a9fe]'],
  ...['https://[fe80::1]', 'https://[fd00::1]', 'https://[64:ff9b::a9fe:a9fe]', 'https://[2002:a00:1::]'],
  ...['https://[::10.0.0.1]', 'https://224.0.0.1', 'https://255.255.255.255', 'https://[ff02::1]'],
  ...['https://router', 'https://printer.local', 'https://db.internal.', 'https://nas.home.arpa'],
])('%s is a network that is not everybody’s', (address) => {
  expect(reachOf(hostOf(address))).toBe('network')
})

test.each([
  ...['https://example.com', 'https://localhosts.example', 'https://mylocalhost.example', 'https://local.example'],
  ...['https://1.1.1.1', 'https://172.32.0.1', 'https://126.0.0.1', 'https://[2606:4700::1111]'],
])('%s is the internet', (address) => {
  expect(reachOf(hostOf(address))).toBe('internet')
})

test('a name is never a loopback address, and an address for all of them is none either', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '[::1]'].map(isLoopbackAddress)).toEqual([true, true, true, true])
  expect(['localhost', '0.0.0.0', '::', '128.0.0.1', ''].map(isLoopbackAddress)).toEqual([
    ...[false, false, false, false, false],
  ])
  expect(['localhost', 'a.localhost', '127.0.0.1', '0.0.0.0', 'localhost.example'].map(isLoopback)).toEqual([
    ...[true, true, true, false, false],
  ])
})
