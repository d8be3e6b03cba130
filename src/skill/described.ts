// Skills and scripts as specification 004 describes them, in its own spelling.

import type { JsonSchema } from '../model/schema.ts'
import { strictDeclaredSchema } from './declared.ts'
import type { Script } from './detect.ts'
import type { Skill } from './skill.ts'

export interface SkillMetadata {
  readonly name: string
  readonly description: string
  readonly base_dir: string
  readonly version: string
  /** Missing where nothing is restricted. */
  readonly allowed_tools?: readonly string[]
  readonly license?: string
  readonly compatibility?: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Whether it has instructions. */
  readonly has_prompt: boolean
  readonly warnings: readonly string[]
}

export interface ScriptMetadata {
  /** The file's name without its extension; with more in front where another script has that. */
  readonly name: string
  /** From the skill's folder. */
  readonly path: string
  /** Such as `python`, `bash` or `node`. */
  readonly script_type: string
  /** What runs it. */
  readonly interpreter: string
  /** Its first docstring or comment; empty where it has none. */
  readonly description: string
  /** The arguments that it declares, as a schema; missing where it takes anything. */
  readonly input_schema?: JsonSchema
}

export function metadataOf(skill: Skill): SkillMetadata {
  const { name, description, base, version, allowedTools, license, compatibility, metadata, hasPrompt, warnings } =
    skill
  return {
    name,
    description,
    base_dir: base,
    version,
    ...(allowedTools && { allowed_tools: allowedTools }),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    metadata,
    has_prompt: hasPrompt,
    warnings,
  }
}

export function scriptMetadata({ name, path, type, interpreter, description, declared }: Script): ScriptMetadata {
  return {
    name: name.join('.'),
    path,
    script_type: type,
    interpreter: interpreter[0] ?? '',
    description,
    ...(declared && { input_schema: strictDeclaredSchema(declared) }),
  }
}
