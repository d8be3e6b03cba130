// One call as a stream of events. Whoever stops reading cancels the call.

import type { Call } from '../model/call.ts'
import type { CallEvent } from '../model/event.ts'
import type { Execute } from './execute.ts'

export type Stream = (call: Call) => AsyncGenerator<CallEvent, void, void>

/** So many events may lie unread before the tool's output is held back. */
const unread = 64

/** Progress that nobody reads is not kept beyond this. */
const mostUnread = 1_000

export function createStream(execute: Execute): Stream {
  return async function* stream(call) {
    const controller = new AbortController()
    const signal = call.signal ? AbortSignal.any([call.signal, controller.signal]) : controller.signal
    const events: CallEvent[] = []
    let wake = () => {}
    let room = Promise.withResolvers<void>()

    const ended = execute({ ...call, signal }, (event) => {
      if (event.type === 'progress' && events.length >= mostUnread) return
      events.push(event)
      wake()
      return events.length >= unread ? room.promise : undefined
    })
    let failed: unknown
    ended.catch((error: unknown) => {
      failed = { error }
      wake()
    })
    try {
      for (;;) {
        const event = events.shift()
        if (event) {
          room.resolve()
          room = Promise.withResolvers()
          yield event
          if (event.type === 'ended') return
        } else if (failed) {
          await ended
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      controller.abort()
      room.resolve()
      await ended.catch(() => {})
    }
  }
}
