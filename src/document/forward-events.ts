// Tells a document's events, and between them what the calls of its blocks tell: only one block runs at a time, so the call that
// begins while it does is its own.

import type { Listener } from '../model/event.ts'
import type { DocumentEvent } from './events.ts'

export interface ForwardedEvents {
  readonly tell: (event: DocumentEvent) => void
  /** For the engine: hears every call, and passes on what belongs to a block. */
  readonly listener: Listener
  /** Says which call the run is. */
  readonly began: (callId: string) => void
}

export function forwardEvents(onEvent: ((event: DocumentEvent) => void) | undefined): ForwardedEvents {
  const calls = new Map<string, string>()
  let run: string | undefined
  let current = ''
  const tell = (event: DocumentEvent) => {
    if (event.type === 'block-started') current = event.id
    try {
      onEvent?.(event)
    } catch {
      // Whoever listens does not break what it listens to.
    }
  }
  const listener: Listener = (event) => {
    if (event.type === 'started') {
      if (event.parentId !== undefined && event.parentId === run) calls.set(event.callId, current)
      return
    }
    const id = calls.get(event.callId)
    if (id === undefined) return
    if (event.type === 'ended') calls.delete(event.callId)
    else tell({ type: 'block-event', id, event })
  }
  const began = (callId: string) => {
    run = callId
  }
  return { tell, listener, began }
}
