// One run's way to the gateway: an address of its own, good for that run alone and dead with it.
//
// What a guest finds below that address; every body is JSON with the content type `application/json`, and no request has an Origin:
//   GET  /runtime/tools.ts    the client, as `text/javascript`; /runtime/tools.d.ts its declarations; a query (`?_t=…`) is ignored
//   POST /ready               the guest waits for its program; no body; 204
//   POST /tools/<wire>        a call; the body is the input; 200 and the outcome, whether or not it is ok. With the content type
//                             `application/vnd.legwork.call+json` the body is `{input?, content?, timeoutMs?}`
//   POST /end/value           the guest's value as JSON text; an empty body for none; 204
//   POST /end/error           what it threw, as JSON text; 204
//   GET  /health, /tools, /search?q=
// Any other answer is a refusal, `{"ok": false, "code", "message"}`: 404 once the door is shut, 409 for a call before it is open
// or after the end, and for a second end, 413 for a body above `maxInputBytes` (a call) or `maxEndBytes` (an end), 429 for more requests at once
// than a door takes.

import type { Outcome } from '../model/outcome.ts'

/** The largest value or error that a guest may hand over, in bytes. */
export const maxEndBytes = 33_554_432

export interface RunDoor {
  /** `http://127.0.0.1:PORT/run/<capability>`; never logged. */
  readonly url: string
  /** Where the box's network ends: `127.0.0.1:PORT`. */
  readonly host: string
  /** Lets tool calls and the end in. Before that the door serves the runtime, the lists, `ready` and nothing else. */
  readonly open: (service: RunService) => void
  /** Settles when the guest says that it waits for its program; never, if it does not. */
  readonly ready: Promise<void>
  /** For a door whose calls are served elsewhere: settles when the end has been told that its guest said before it went, if any. */
  readonly settled?: () => Promise<unknown>
  /** Shuts it for good: whatever comes later is answered with 404. Calls in flight are answered still. */
  readonly close: () => void
}

export interface RunService {
  /** Calls a tool by its wire name. */
  readonly call: (wire: string, input: unknown, options: RunCallOptions) => Promise<Outcome>
  /** What the guest says at its end: its value, or what it threw, as the raw text that it sent. Called once at most. */
  readonly end: (how: 'value' | 'error', body: string) => void
}

export interface RunCallOptions {
  /** Fires when the guest goes away before its answer, and when the gateway stops. */
  readonly signal: AbortSignal
  /** Instructions in prose that go with the input. */
  readonly content?: string
  /** Within the range of the limit. */
  readonly timeoutMs?: number
}

export type MakeRunDoor = () => Promise<RunDoor>
