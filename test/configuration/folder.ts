// A temporary folder with files in it, for the tests of the configuration.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LoadedConfiguration, loadConfiguration } from '../../src/configuration/load.ts'
import { ConfigurationError } from '../../src/model/errors.ts'

/** Gone when the test is over. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'legwork-configuration-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

type Environment = Readonly<Record<string, string>>

export function load(content: string | Uint8Array, environment: Environment = {}): Promise<LoadedConfiguration> {
  return loadConfiguration({ cwd: makeFolder({ 'legwork.jsonc': content }), environment })
}

/** The faults of a file that must not load. */
export async function faultsOf(content: string | Uint8Array, environment: Environment = {}) {
  const error = await load(content, environment).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigurationError)) throw new Error('The file was loaded.', { cause: error })
  return error.faults
}

export async function messagesOf(content: string | Uint8Array, environment: Environment = {}): Promise<string[]> {
  return (await faultsOf(content, environment)).map(({ message }) => message)
}
