// A fetch whose answers cannot grow without end: the whole of an ordinary one is bounded, and each event of a stream of events.

export interface BoundedFetch {
  readonly fetch: typeof fetch
  /** What was too large, if anything was. */
  readonly fault: () => string | undefined
}

export function boundedFetch(maxBytes: number): BoundedFetch {
  let fault: string | undefined
  const refuse = () => {
    fault = `It sent a message of more than ${maxBytes} bytes.`
    return new Error(fault)
  }
  const bounded: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const size = isStream ? eventSize() : totalSize()
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (size(chunk) > maxBytes) controller.error(refuse())
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(counting), { status, statusText, headers })
  }
  return { fetch: bounded, fault: () => fault }
}

type Size = (chunk: Uint8Array) => number

function totalSize(): Size {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return bytes
  }
}

const lineFeed = 10
const carriageReturn = 13

/** The largest size that an event had in this chunk; an empty line ends one. */
function eventSize(): Size {
  let bytes = 0
  let lineLength = 0
  let last = 0
  return (chunk) => {
    let largest = 0
    for (const byte of chunk) {
      bytes++
      if (byte === lineFeed && last === carriageReturn) {
        last = byte
        continue
      }
      last = byte
      if (byte !== lineFeed && byte !== carriageReturn) {
        lineLength++
        continue
      }
      if (lineLength === 0) {
        largest = Math.max(largest, bytes)
        bytes = 0
      }
      lineLength = 0
    }
    return Math.max(largest, bytes)
  }
}
