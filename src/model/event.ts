// What the engine tells of a call while it goes on. Secrets are redacted in every event.

import type { Decision } from './decision.ts'
import type { Level } from './entry.ts'
import type { Outcome } from './outcome.ts'
import type { Progress } from './tool.ts'

export type CallEvent = { readonly callId: string; readonly tool: string } & (
  | { readonly type: 'started'; readonly parentId?: string }
  | { readonly type: 'decided'; readonly decision: Decision }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'log'; readonly level: Level; readonly message: string }
  | { readonly type: 'ended'; readonly outcome: Outcome }
)

/** Told of every event. A promise holds back a tool's output until it settles. */
export type Listener = (event: CallEvent) => void | Promise<void>
