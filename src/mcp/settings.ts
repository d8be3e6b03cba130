// What is known of one server before it is spoken to.

import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import type { Trust } from '../model/effects.ts'
import type { Confinement } from '../run/confinement.ts'
import type { Hide } from './hide.ts'
import type { Pins } from './pins-types.ts'

/** A program to start, which speaks MCP on its standard input and output. */
export interface ProgramPlace {
  readonly command: string
  /** Default none. */
  readonly args?: readonly string[] | undefined
  /** Variables on top of the few that every child gets. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Default: the workspace. */
  readonly cwd?: string | undefined
}

/** A server that is running already. */
export interface AddressPlace {
  readonly url: string
  /** Sent with every request. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How it speaks: `sse` for the transport from before streamable HTTP. Default: found out by trying. */
  readonly transport?: 'sse' | undefined
}

export interface McpCommonSettings {
  /** The folder that a server is started in and that relative paths stand in. */
  readonly workspace: string
  /** The file that names the server. Default: none does. */
  readonly configuration?: string | undefined
  /** How far the server's descriptions are trusted. Default `community`. */
  readonly trust?: Trust | undefined
  /** The tools to take, by the server's own names, `*` for any characters. Default: all, as with an empty list. */
  readonly include?: readonly string[] | undefined
  /** The tools to leave out, in the same way. Default none. */
  readonly exclude?: readonly string[] | undefined
  /** How far a server that is started is shut in. Default `off`. */
  readonly confine?: Confinement | undefined
  /** Paths that a server that is shut in must not see, such as the journal. Default none. */
  readonly hidden?: readonly string[] | undefined
  /** Files in the workspace that a server that is shut in must not change. Default none. */
  readonly readOnly?: readonly string[] | undefined
  /** What happens when a tool has changed since it was accepted. Default `ask`. */
  readonly pin?: 'ask' | 'warn' | 'off' | undefined
  /** What its tools are called by in the place of its name, where another server has that. Default: its name. */
  readonly module?: string | undefined
  /** Whether its tools and prompts are called by their own names alone, without the server's before them. Default `prefixed`. */
  readonly names?: 'prefixed' | 'plain' | undefined
  /** Default `shared`. */
  readonly connection?: 'shared' | 'per-client' | undefined
  /** Where descriptions that were accepted are kept. Default: nowhere, so that no change is noticed. */
  readonly pins?: Pins | undefined
  /** Takes known secrets out of what the server says of itself, before anybody sees it. Default: nothing is taken out. */
  readonly hide?: Hide | undefined
  /** Who gets a token for a server that wants one. Default: nobody. */
  readonly authProvider?: (() => OAuthClientProvider) | undefined
  readonly bounds?: Partial<McpBounds> | undefined
}

export type McpSettings = McpCommonSettings & (ProgramPlace | AddressPlace)

export interface McpBounds {
  /** Longest that a server may take from its start until it is ready. */
  readonly connectMs: number
  /** Longest that a program may leave the question about its revision unanswered; then it is taken for an older one. */
  readonly probeMs: number
  /** Longest that all pages of its list may take together. */
  readonly listMs: number
  /** The largest message. A larger one ends the connection. */
  readonly maxMessageBytes: number
  readonly maxPages: number
  readonly maxTools: number
  /** The largest description of one tool with its schemas, and of all of them. */
  readonly maxToolBytes: number
  readonly maxListBytes: number
}

const mebibyte = 1_048_576

export const defaultBounds: McpBounds = {
  // A program that npx has to fetch first takes its time.
  connectMs: 30_000,
  probeMs: 5_000,
  listMs: 30_000,
  maxMessageBytes: 16 * mebibyte,
  maxPages: 1_000,
  maxTools: 20_000,
  maxToolBytes: mebibyte,
  maxListBytes: 64 * mebibyte,
}
