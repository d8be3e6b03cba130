// Stands between a program that knows no token and a gateway that wants one: adds the token and leaves the rest as it is. What names
// the proxy's own address as its Host or Origin names the gateway's behind it; what names another stays what it is.

import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'

/** The proxy's address. */
export async function openTokenProxy(gatewayUrl: string, token: string): Promise<string> {
  const target = new URL(gatewayUrl)
  let port = ''
  const swapped = (value: string | undefined) => value?.replace(`:${port}`, `:${target.port}`)
  const server = createServer((incoming, outgoing) => {
    const { host, origin } = incoming.headers
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${token}`,
      ...(host !== undefined && { host: swapped(host) }),
      ...(origin !== undefined && { origin: swapped(origin) }),
    }
    const { method, url: path } = incoming
    const passed = request({ host: target.hostname, port: target.port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address ? String(address.port) : ''
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${port}`
}
