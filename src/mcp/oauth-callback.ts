// Waits on this machine for a browser to come back with the answer of an authorisation server. Anybody on this machine, and any
// page in the browser, can knock here: only who knows the state of the question is listened to, the rest is turned away.

import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export interface Callback {
  /** Where the browser is sent to. */
  readonly url: string
  /** The parameters of the answer to a question with this state. An older question is no longer waited for. */
  readonly expect: (state: string, options: ExpectOptions) => Promise<URLSearchParams>
  readonly close: () => Promise<void>
}

export interface ExpectOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const path = '/callback'
const host = '127.0.0.1'

/** On the port that is asked for if it is free, else on any. */
export async function listenForCallback(port = 0): Promise<Callback> {
  let expected: { readonly state: string; readonly answer: (parameters: URLSearchParams) => void } | undefined
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16_384 },
    (request, response) => {
      const parameters = parametersOf(request, addressOf(server))
      if (parameters === undefined) return reply(response, 404, 'There is nothing here.')
      if (!expected || !isSame(parameters.get('state') ?? '', expected.state)) {
        return reply(response, 400, 'This is not the answer that Legwork waits for. Nothing was changed.')
      }
      expected.answer(parameters)
      expected = undefined
      return reply(response, 200, 'Legwork has the answer. You can close this window and go back to the terminal.')
    },
  )
  server.maxConnections = 32
  await listen(server, port)
  return {
    url: `http://${addressOf(server)}${path}`,
    expect: (state, { timeoutMs, signal }) =>
      new Promise((resolve, reject) => {
        const settle = (end: () => void) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          end()
        }
        const fail = (why: string) => settle(() => reject(new Error(why)))
        const giveUp = () => fail('The authorisation was given up.')
        const timer = setTimeout(fail, timeoutMs, `Nobody answered within ${timeoutMs / 60_000} minutes. Try again.`)
        expected = { state, answer: (parameters) => settle(() => resolve(parameters)) }
        if (signal?.aborted) giveUp()
        else signal?.addEventListener('abort', giveUp, { once: true })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function listen(server: Server, port: number): Promise<void> {
  const on = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(wanted, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
  await (port === 0 ? on(0) : on(port).catch(() => on(0)))
}

function addressOf(server: Server): string {
  const address = server.address()
  return typeof address === 'object' && address ? `${host}:${address.port}` : host
}

/** A page of another name that leads to this machine has another host in its requests. */
function parametersOf({ method, url = '', headers }: IncomingMessage, address: string): URLSearchParams | undefined {
  if (method !== 'GET' || headers.host !== address || !URL.canParse(url, `http://${address}`)) return undefined
  const asked = new URL(url, `http://${address}`)
  return asked.pathname === path && asked.host === address ? asked.searchParams : undefined
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Nothing of the request comes back in the page. */
function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(`${text}\n`)
}
