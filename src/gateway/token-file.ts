// The file by which a gateway tells its token to clients of the same user, and to nobody else.

import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, messageOf, parseJson } from '../base/json.ts'
import { makeFolder } from '../base/make-folder.ts'
import { isSomeoneElse, readPrivate, writeBeside } from '../base/private-file.ts'
import { defaultJournalPath } from '../journal/default-path.ts'
import { LegworkError } from '../model/errors.ts'

export interface GatewayFile {
  /** Such as `http://127.0.0.1:4123`. */
  readonly address: string
  readonly pid: number
  readonly token: string
  /** Whose tools it serves, so that a client can find the gateway of a folder. */
  readonly workspace?: string
}

/** The variable that holds a token for clients, and for a gateway that listens elsewhere than on loopback. */
export const tokenVariable = 'LEGWORK_GATEWAY_TOKEN'

export interface TokenOptions {
  /** Default: this process's. */
  readonly environment?: { readonly [name: string]: string | undefined }
  /** Where gateways leave their files. Default: the user's state folder. */
  readonly folder?: string
}

/** The token for the gateway at an address: from the variable, else from the file of that very gateway. */
export function gatewayToken(url: string, { environment = process.env, folder }: TokenOptions = {}): string {
  const given = environment[tokenVariable]
  if (given) return given
  const address = originOf(url)
  const path = fileOf(folder ?? stateFolder(environment), address)
  const file = readGatewayFile(path)
  // A token must not go to another machine that happens to use the same port.
  if (file?.address === address && isAlive(file.pid)) return file.token
  throw unusable(`No gateway of yours runs at ${address}. Start one with "legwork serve".`)
}

export function stateFolder(environment: NonNullable<TokenOptions['environment']> = process.env): string {
  return dirname(defaultJournalPath({ environment }))
}

/** Writes the file of a gateway that listens already, so that an older file for its port is stale. Answers with its path. */
export function writeGatewayFile(folder: string, file: GatewayFile): string {
  prepareFolder(folder)
  sweep(folder)
  const path = fileOf(folder, file.address)
  writeBeside(path, `${JSON.stringify(file)}\n`, 0o600)
  return path
}

/** Removes the file, unless it is another gateway's by now. */
export function removeGatewayFile(path: string, token: string): void {
  try {
    if (readGatewayFile(path)?.token === token) rmSync(path, { force: true })
  } catch {
    // A file that cannot be read as ours is not ours to remove.
  }
}

/** A secret that the owner keeps in a file: of this user alone, long enough, on one line. */
export function readTokenFile(path: string): string {
  const text = readToken(path)
  if (text === undefined) throw unusable(`There is no token file "${path}".`)
  return checkToken(text.trim(), `The token in "${path}"`)
}

export function checkToken(token: string, what: string): string {
  if (/^[\w.~+/-]{32,512}=*$/.test(token)) return token
  throw unusable(
    `${what} must have 32 to 512 letters, digits or any of "-._~+/". Make one with "openssl rand -hex 32".`,
  )
}

function fileOf(folder: string, address: string): string {
  return join(folder, `gateway-${new URL(address).port || '80'}.json`)
}

/** As the gateway writes it of itself. */
function originOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'http:')
    throw unusable(`"${url}" is not the address of a gateway, such as http://127.0.0.1:4123.`)
  if (parsed.hostname === 'localhost') parsed.hostname = '127.0.0.1'
  return parsed.origin
}

function readGatewayFile(path: string): GatewayFile | undefined {
  const parsed = parseJson(readToken(path) ?? '')
  if (!parsed.ok || !isObject(parsed.value)) return undefined
  const { address, pid, token } = parsed.value
  const isWhole = typeof address === 'string' && typeof token === 'string' && Number.isInteger(pid)
  return isWhole ? { address, token, pid: Number(pid) } : undefined
}

function readToken(path: string): string | undefined {
  try {
    return readPrivate(path, maxBytes)
  } catch (error) {
    throw unusable(`The token file "${path}" cannot be read: ${messageOf(error)}`)
  }
}

const maxBytes = 65_536

/** For this user alone. */
function prepareFolder(folder: string): void {
  makeFolder(folder, 0o700)
  const found = statSync(folder)
  if (!found.isDirectory()) throw unusable(`"${folder}" is no folder, so the gateway's token cannot be kept there.`)
  if (isSomeoneElse(found.uid)) throw unusable(`The folder "${folder}" belongs to another user (id ${found.uid}).`)
  if (found.mode & 0o077) chmodSync(folder, 0o700)
}

/** Gateways that were killed leave their files. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^gateway-\d+\.json(\.\w+\.new)?$/.test(name)) continue
    const path = join(folder, name)
    try {
      const file = readGatewayFile(path)
      if (!file || !isAlive(file.pid)) rmSync(path, { force: true })
    } catch {
      // Not ours, or not safe: clients refuse it, and tell.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function unusable(message: string): LegworkError {
  return new LegworkError('invalid-configuration', message)
}
