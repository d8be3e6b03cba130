import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  gatewayToken,
  readTokenFile,
  removeGatewayFile,
  stateFolder,
  writeGatewayFile,
} from '../../src/gateway/token-file.ts'
import { openGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary.ts'

const address = 'http://127.0.0.1:4123'
const file = { address, pid: process.pid, token: 'the-token' }
/** No process has this one. */
const deadPid = 4_194_305
const read = (folder: string, url = address, environment = {}) => gatewayToken(url, { folder, environment })

test('a gateway writes its token for this user alone and removes it when it stops', async () => {
  const { gateway, token, folder } = await openGateway()
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(statSync(gateway.tokenFile).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(gateway.tokenFile, 'utf8'))).toEqual({ address: gateway.url, pid: process.pid, token })
  await gateway.stop()
  expect(readdirSync(folder)).toEqual([])
})

test('a folder that others may read is closed to them', () => {
  const folder = join(temporaryFolder(), 'state')
  mkdirSync(folder, { mode: 0o755 })
  writeGatewayFile(folder, file)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a client reads the token by the address, localhost too', () => {
  const folder = temporaryFolder()
  writeGatewayFile(folder, file)
  expect(read(folder)).toBe('the-token')
  expect(read(folder, 'http://localhost:4123/')).toBe('the-token')
})

test('the variable goes before the file', () => {
  expect(read(temporaryFolder(), address, { LEGWORK_GATEWAY_TOKEN: 'mine' })).toBe('mine')
})

test.each([
  'http://evil.example:4123',
  'http://127.0.0.1:4124',
  'http://127.0.0.2:4123',
  'https://127.0.0.1:4123',
  'file:///4123',
  'nonsense',
])('the token is not for %s', (url) => {
  const folder = temporaryFolder()
  writeGatewayFile(folder, file)
  expect(() => read(folder, url)).toThrow(/No gateway of yours runs at|is not the address of a gateway/)
})

test('a gateway that was killed is told from one that runs, and its file is swept', () => {
  const folder = temporaryFolder()
  writeGatewayFile(folder, { ...file, pid: deadPid })
  expect(() => read(folder)).toThrow('No gateway of yours runs')
  writeGatewayFile(folder, { address: 'http://127.0.0.1:4999', pid: process.pid, token: 'other' })
  expect(readdirSync(folder)).toEqual(['gateway-4999.json'])
})

test('a stale file of the same port is replaced, and an older gateway does not remove the newer one’s', () => {
  const folder = temporaryFolder()
  writeGatewayFile(folder, { ...file, token: 'old' })
  const path = writeGatewayFile(folder, file)
  expect(read(folder)).toBe('the-token')
  removeGatewayFile(path, 'old')
  expect(read(folder)).toBe('the-token')
  removeGatewayFile(path, 'the-token')
  expect(readdirSync(folder)).toEqual([])
  removeGatewayFile(path, 'the-token')
})

const attacks: readonly (readonly [name: string, attack: (path: string) => void, message: RegExp])[] = [
  ['a file that others can read', (path) => chmodSync(path, 0o644), /Other users may read/],
  ['a file that the group can read', (path) => chmodSync(path, 0o640), /Other users may read/],
  [
    'a link',
    (path) => {
      renameSync(path, `${path}.real`)
      symlinkSync(`${path}.real`, path)
    },
    /cannot be read/,
  ],
  ['a broken file', (path) => writeFileSync(path, '{"address":'), /No gateway of yours/],
  ['a file of another shape', (path) => writeFileSync(path, '{"address": 1}'), /No gateway of yours/],
  ['a huge file', (path) => writeFileSync(path, ' '.repeat(70_000)), /no small regular file/],
]

test.each(attacks)('%s is not used', (_, attack, message) => {
  const folder = temporaryFolder()
  attack(writeGatewayFile(folder, file))
  expect(() => read(folder)).toThrow(message)
})

test('a link in the place of the file is replaced, and what it leads to is left alone', () => {
  const folder = temporaryFolder()
  const target = join(temporaryFolder(), 'target')
  writeFileSync(target, 'precious')
  symlinkSync(target, join(folder, 'gateway-4123.json'))
  const path = writeGatewayFile(folder, file)
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('precious')
})

test.runIf(process.geteuid?.() === 0)('a file of another user is not used', async () => {
  const { chownSync } = await import('node:fs')
  const folder = temporaryFolder()
  chownSync(writeGatewayFile(folder, file), 65_534, 65_534)
  expect(() => read(folder)).toThrow('belongs to another user (id 65534)')
})

test('a token of the owner comes from a file of the owner alone', () => {
  const path = join(temporaryFolder(), 'token')
  expect(() => readTokenFile(path)).toThrow('There is no token file')
  writeFileSync(path, `${'a'.repeat(40)}\n`, { mode: 0o600 })
  expect(readTokenFile(path)).toBe('a'.repeat(40))
  chmodSync(path, 0o604)
  expect(() => readTokenFile(path)).toThrow('Other users may read')
  chmodSync(path, 0o600)
  writeFileSync(path, 'short')
  expect(() => readTokenFile(path)).toThrow('32 to 512')
})

test('the files lie in the user’s state folder', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/legwork')
})
