// Our skill folders as the protocol's extension for skills has them: their files to read, nothing of them to run. Their scripts are
// tools, and go by the one path.

import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { type SkillCatalog, type SkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { nodeSkillFiles } from '@modelcontextprotocol/server/ext/skills/node'
import { isObject } from '../base/json.ts'
import type { SkillFolder } from './parts.ts'

export const skillScheme = 'skill://'

/** What a server asks of the skills that are attached to it. */
export interface AttachedSkills {
  readonly list: (context: ServerContext) => Promise<readonly unknown[]>
  readonly read: (uri: string, context: ServerContext) => Promise<Record<string, unknown> | undefined>
}

/** A skill that breaks the extension's rules is left out; its scripts are there all the same. */
export async function loadSkills(folders: readonly SkillFolder[]): Promise<SkillCatalog | undefined> {
  if (folders.length === 0) return undefined
  return SkillsExtension.load(filesOf(folders), { strict: false, onWarning: () => {} })
}

/** All folders as one: each skill below its own name. */
function filesOf(folders: readonly SkillFolder[]): SkillFiles {
  const byName = new Map(folders.map(({ name, base }) => [name, nodeSkillFiles(base)]))
  const split = (path: string) => {
    const [name = '', ...rest] = path.split('/')
    const files = byName.get(name)
    if (!files) throw new TypeError(`There is no skill "${name}".`)
    return { files, rest: rest.join('/') }
  }
  return {
    list: async (folder) => {
      if (folder === '') return [...byName.keys()].map((name) => ({ name, kind: 'directory' as const }))
      const { files, rest } = split(folder)
      return files.list(rest)
    },
    read: async (path) => {
      const { files, rest } = split(path)
      return files.read(rest)
    },
  }
}

/**
 * Attaches them without letting the SDK take over resources as a whole: those of the servers behind us are passed on with their
 * addresses as they are, which it would rewrite.
 */
export function attachSkills(mcp: McpServer, skills: SkillCatalog): AttachedSkills {
  let list: AttachedSkills['list'] = async () => []
  let read: AttachedSkills['read'] = async () => undefined
  const registerResource = (_name: string, template: unknown, _config: unknown, reading: unknown) => {
    const listing = isObject(template) ? template.listCallback : undefined
    if (typeof listing === 'function') {
      list = async (context) => {
        const { resources }: { resources: readonly unknown[] } = await listing(context)
        return resources
      }
    }
    if (typeof reading === 'function') {
      read = async (uri, context) => (URL.canParse(uri) ? reading(new URL(uri), {}, context) : undefined)
    }
  }
  Object.defineProperty(mcp, 'registerResource', { value: registerResource, configurable: true })
  skills.attach(mcp)
  Reflect.deleteProperty(mcp, 'registerResource')
  return { list: (context) => list(context), read: (uri, context) => read(uri, context) }
}
