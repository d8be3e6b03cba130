// What was sent to a client of an older revision, for a while: one that lost its connection takes it up again where it was.

import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

const maxEvents = 1_000
const maxBytes = 4_194_304

interface Sent {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** One session's, the newest of them. */
export function sentEvents(): EventStore {
  let sent: Sent[] = []
  let count = 0
  let bytes = 0
  const streamOf = (id: string) => id.slice(0, id.lastIndexOf('_'))
  return {
    storeEvent: async (stream, message) => {
      const event = { id: `${stream}_${++count}`, stream, message, bytes: JSON.stringify(message).length }
      sent.push(event)
      bytes += event.bytes
      while (sent.length > 1 && (sent.length > maxEvents || bytes > maxBytes)) bytes -= sent.shift()?.bytes ?? 0
      return event.id
    },
    getStreamIdForEventId: async (id) => streamOf(id) || undefined,
    replayEventsAfter: async (last, { send }) => {
      const stream = streamOf(last)
      const at = sent.findIndex(({ id }) => id === last)
      const missed = sent.slice(at + 1).filter((event) => event.stream === stream)
      // A message that only marks the beginning of a stream has nothing in it.
      for (const { id, message } of missed) if (Object.keys(message).length) await send(id, message)
      sent = sent.filter((event) => event.stream !== stream || !missed.includes(event) || event.id === last)
      bytes = sent.reduce((total, event) => total + event.bytes, 0)
      return stream
    },
  }
}
