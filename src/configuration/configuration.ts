// Made by scripts/schema.ts from schema.ts. Change that one.

export interface Configuration {
  /** Where this schema stands, for editors. */
  readonly $schema?: string
  /** MCP servers by name, as other clients have them. Default: {}. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfiguration>>
  /** Command-line programs by name. Default: {}. */
  readonly programs?: Readonly<Record<string, ProgramConfiguration>>
  /** Folders that hold skills. Default: []. */
  readonly skills?: readonly (string | SkillConfiguration)[]
  /** Documents whose tool blocks become tools, as globs. Default: []. */
  readonly documents?: readonly string[]
  /** Contracts and compose files that become tools, as globs. Default: []. */
  readonly contracts?: readonly string[]
  /** Modules; every tool that one exports is taken. Default: []. */
  readonly functions?: readonly string[]
  /** What runs, what asks, what is denied. */
  readonly policy?: PolicyConfiguration
  /** Bounds on time, bytes and depth. */
  readonly limits?: LimitsConfiguration
  /** Secrets to hide besides those that are known already. */
  readonly redact?: RedactConfiguration
  /** Where and how calls are written down. */
  readonly journal?: JournalConfiguration
  /** How Legwork serves others. */
  readonly serve?: ServeConfiguration
  /** The language model. Default: none. */
  readonly model?: string
}

export interface McpServerConfiguration {
  /** The program to start; it speaks MCP on stdin and stdout. */
  readonly command?: string
  /** Its arguments. Default: []. */
  readonly args?: readonly string[]
  /** Variables it gets on top of the usual ones. Default: {}. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder it is started in. Default: the workspace. */
  readonly cwd?: string
  /** The address of a server that is running already. */
  readonly url?: string
  /** Headers of every request to that address. Default: {}. */
  readonly headers?: Readonly<Record<string, string>>
  /** How it speaks; "sse" for the transport from before streamable HTTP. Default: it follows from "command" or "url". */
  readonly type?: string
  /** Whether it is left out. Default: false. */
  readonly disabled?: boolean
  /** The same the other way round: false leaves it out. Default: true. */
  readonly enabled?: boolean
  /** What Legwork alone reads. */
  readonly legwork?: McpServerExtrasConfiguration
}

export interface McpServerExtrasConfiguration {
  /** How far the server's descriptions are trusted. Default: "community". */
  readonly trust?: 'inferred' | 'user' | 'community' | 'org' | 'vendor' | 'native'
  /** The tools to take, * for any characters. Default: all, as with an empty list. */
  readonly include?: readonly string[]
  /** The tools to leave out, * for any characters. Default: []. */
  readonly exclude?: readonly string[]
  /** How far the server is shut in. Default: "off". */
  readonly confine?: 'full' | 'auto' | 'processes' | 'off'
  /** What happens when a tool has changed since it was first seen. Default: "ask". */
  readonly pin?: 'ask' | 'warn' | 'off'
  /** Who Legwork is to a server that registers no clients by itself. Default: it registers when it is first authorised. */
  readonly oauth?: OauthClientConfiguration
  /** Whether its tools and prompts are called by their own names alone, without the server's before them. Default: "prefixed". */
  readonly names?: 'prefixed' | 'plain'
  /** Whether each client has a connection of its own. Default: "shared". */
  readonly connection?: 'shared' | 'per-client'
}

export interface OauthClientConfiguration {
  /** The id that the server gave to Legwork as its client. */
  readonly clientId?: string
  /** The secret that goes with it. */
  readonly clientSecret?: string
  /** Where a description of the client is published. */
  readonly clientMetadataUrl?: string
}

export interface ProgramConfiguration {
  /** A file of ATIP metadata. Default: what Legwork ships for that name, else the program's own --agent. */
  readonly metadata?: string
  /** What is started. Default: the program's name, looked up on the path. */
  readonly command?: string
  /** How far its metadata is trusted. Default: what the metadata says, else "inferred". */
  readonly trust?: 'inferred' | 'user' | 'community' | 'org' | 'vendor' | 'native'
  /** How far it is shut in, where bubblewrap works. Default: "processes". */
  readonly confine?: 'full' | 'auto' | 'processes' | 'off'
  /** Variables it gets on top of the usual ones: names to pass on, or names with values. Default: []. */
  readonly env?: readonly string[] | Readonly<Record<string, string>>
  /** Whether it may be asked for its metadata with --agent where it cannot be shut in. Default: false. */
  readonly agent?: boolean
  /** Whether it takes -- before its positional arguments. Default: what the metadata says. */
  readonly endOfOptions?: boolean
  /** Bounds on its memory, processor time and processes. */
  readonly resources?: ResourcesConfiguration
}

export interface ResourcesConfiguration {
  /** The most data memory of each process. Default: no bound. */
  readonly memoryBytes?: number
  /** The most processor time of each process. Default: no bound. */
  readonly cpuSeconds?: number
  /** The most processes and threads at once. Default: no bound. */
  readonly maxProcesses?: number
}

export interface SkillConfiguration {
  /** The folder: one skill, or several below it. */
  readonly path: string
  /** How far its skills are trusted. Default: "community". */
  readonly trust?: 'inferred' | 'user' | 'community' | 'org' | 'vendor' | 'native'
  /** How far scripts are shut in; "auto" is "full" where bubblewrap works. Default: "auto". */
  readonly confine?: 'full' | 'auto' | 'processes' | 'off'
  /** Whether a script that is shut in may use the network. Default: false. */
  readonly network?: boolean
  /** What a script that is shut in may do in the workspace. Default: "write". */
  readonly workspace?: 'write' | 'read'
  /** Variables that scripts get: names to pass on, or names with values. Default: []. */
  readonly env?: readonly string[] | Readonly<Record<string, string>>
  /** What "allowed-tools" of a SKILL.md means: nothing else may be used, or these need no question. Default: "enforce". */
  readonly allowedTools?: 'enforce' | 'preapprove'
  /** Bounds on the memory, processor time and processes of each script. */
  readonly resources?: ResourcesConfiguration
}

export interface ResourcesConfiguration {
  /** The most data memory of each process. Default: no bound. */
  readonly memoryBytes?: number
  /** The most processor time of each process. Default: no bound. */
  readonly cpuSeconds?: number
  /** The most processes and threads at once. Default: no bound. */
  readonly maxProcesses?: number
}

export interface PolicyConfiguration {
  /** A ready-made set of answers by trust level. Default: none. */
  readonly profile?: 'recommended'
  /** Whether destructive tools run without a question. Default: false. */
  readonly allowDestructive?: boolean
  /** Whether tools that cannot be undone run without a question. Default: true. */
  readonly allowNonReversible?: boolean
  /** Whether tools that cost money run without a question. Default: true. */
  readonly allowBillable?: boolean
  /** Whether tools may use the network; false denies them. Default: true. */
  readonly allowNetwork?: boolean
  /** Whether tools may write files; false denies them. Default: true. */
  readonly allowFilesystemWrite?: boolean
  /** Whether tools that delete files run without a question. Default: true. */
  readonly allowFilesystemDelete?: boolean
  /** Whether tools may run that need a person at a terminal. Default: false. */
  readonly allowInteractive?: boolean
  /** Tools that are trusted less than this are denied. Default: "inferred". */
  readonly minTrustLevel?: 'inferred' | 'user' | 'community' | 'org' | 'vendor' | 'native'
  /** A tool whose estimated cost is above this asks. Default: "high". */
  readonly maxCostEstimate?: 'free' | 'low' | 'medium' | 'high'
  /** How long a question waits for an answer, in milliseconds; no answer is a no. Default: 300000. */
  readonly approvalTimeoutMs?: number
  /** Rules whose calls run without a question, unless "ask" or "deny" has one. Default: []. */
  readonly allow?: readonly string[]
  /** Rules whose calls ask a person first, unless "deny" has one. Default: []. */
  readonly ask?: readonly string[]
  /** Rules whose calls never run. Default: []. */
  readonly deny?: readonly string[]
}

export interface LimitsConfiguration {
  /** How long one call may run, in milliseconds. Default: 30000. */
  readonly timeoutMs?: number
  /** How many bytes of each output stream of a process are kept; the rest is counted and dropped. Default: 1048576. */
  readonly maxOutputBytes?: number
  /** How many characters the text for a model may have. Default: 100000. */
  readonly maxTextLength?: number
  /** How many characters of a result an MCP client is handed at once; a longer one is kept, to be read in parts. Default: 25000. */
  readonly maxResultLength?: number
  /** How large the input of a call may be, counted as JSON. Default: 10485760. */
  readonly maxInputBytes?: number
  /** How many values, lists and objects included, the input of a call may consist of. Default: 250000. */
  readonly maxInputValues?: number
  /** How deeply the input of a call may be nested. Default: 128. */
  readonly maxInputDepth?: number
  /** How many tools may be running at once. Default: 32. */
  readonly maxConcurrentCalls?: number
  /** How many calls may wait for their turn. Default: 10000. */
  readonly maxQueuedCalls?: number
  /** How deeply tools may call other tools. Default: 16. */
  readonly maxCallDepth?: number
}

export interface RedactConfiguration {
  /** Texts that are always hidden. Empty ones are passed over. Default: []. */
  readonly values?: readonly string[]
  /** Regular expressions; what they match is hidden. Default: []. */
  readonly patterns?: readonly string[]
}

export interface JournalConfiguration {
  /** The file that every call is written to. Default: ".legwork/legwork.db" beside this file. */
  readonly path?: string
  /** What an entry survives: the end of the process, or of the power as well, which is slower. Default: "process". */
  readonly durability?: 'process' | 'power'
}

export interface ServeConfiguration {
  /** What an MCP client sees: every tool, a few that search and call the rest, or whichever suits their number. Default: "auto". */
  readonly expose?: 'direct' | 'meta' | 'auto'
}
