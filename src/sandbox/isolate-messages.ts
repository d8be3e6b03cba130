// What the host and the thread of an isolate say to each other. Values of the guest cross as JSON text and as nothing else.

export interface ThreadData {
  /** The compiled engine, shared by all threads. */
  readonly wasm: WebAssembly.Module
  readonly port: import('node:worker_threads').MessagePort
  /** What is read and written while the guest is busy. */
  readonly shared: SharedArrayBuffer
  /** Source text of the function that makes the guest function's arguments. */
  readonly surface: string
}

export interface RunMessage {
  readonly type: 'run'
  readonly source: string
  /** More functions in source text, each checked as `source` is. */
  readonly others: readonly { readonly name: string; readonly source: string }[]
  /** What the surface is made of, as JSON. */
  readonly given: string
  readonly memoryBytes: number
  readonly maxTextLength: number
  readonly maxValues: number
  readonly maxLogLength: number
  readonly seed: number
  /** Milliseconds since the epoch at which the guest's clock stands; missing: it goes. */
  readonly now: number | undefined
}

export interface ReplyMessage {
  readonly type: 'reply'
  readonly ask: number
  readonly ok: boolean
  readonly text: string
}

export type ToThread = RunMessage | ReplyMessage | { readonly type: 'stop' }

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'ask'; readonly ask: number; readonly text: string }
  | { readonly type: 'end'; readonly end: GuestEnd }

/** How a run in an isolate ended, the host's own reasons aside. */
export type GuestEnd =
  | { readonly type: 'returned'; readonly text: string; readonly droppedLogs: number }
  | { readonly type: 'failed'; readonly fault: GuestFault; readonly droppedLogs: number }
  /** `isSpent`: it had computed for as long as it may. */
  | { readonly type: 'stopped'; readonly droppedLogs: number; readonly isSpent?: boolean }

export interface GuestFault {
  readonly reason: FaultReason
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** `syntax` and `no-function` mean that nothing ran. */
export type FaultReason = 'syntax' | 'no-function' | 'thrown' | 'not-json' | 'too-large' | 'memory' | 'crashed'
