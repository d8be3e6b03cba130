import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { oauthProvider } from '../../src/mcp/oauth.ts'
import { type AuthoriseOptions, withAuthorisation } from '../../src/mcp/oauth-authorise.ts'
import { oauthFetch } from '../../src/mcp/oauth-fetch.ts'
import { authorisationStatus } from '../../src/mcp/oauth-status.ts'
import { authorisationStore, knownTokens } from '../../src/mcp/oauth-store.ts'
import { Server } from '../../src/mcp/server.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type OAuthServer, startOAuthServer } from './oauth-server.ts'

const newFolder = () => join(temporaryFolder(), 'auth')

/** What a browser does: follows the redirects. */
async function browse(address: URL | string): Promise<void> {
  const response = await fetch(address, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location) await browse(location)
}

/** Lists the tools of a server with whoever has the tokens. */
async function list(url: string, provider: ReturnType<typeof oauthProvider>): Promise<string[]> {
  const server = new Server('remote', { url, workspace: '/', authProvider: () => provider })
  const { tools } = await server.list().finally(() => server.close())
  return tools.map(({ name }) => name)
}

function authorise({ url }: OAuthServer, folder: string, more: Partial<AuthoriseOptions> = {}): Promise<string[]> {
  const options = {
    server: 'remote',
    url,
    folder,
    open: (address: URL) => void browse(address),
    timeoutMs: 5_000,
    ...more,
  }
  return withAuthorisation(options, (provider) => list(url, provider))
}

/** As an ordinary run does it, with nobody to ask. */
const run = ({ url }: OAuthServer, folder: string) => list(url, oauthProvider({ server: 'remote', url, folder }))

const files = (folder: string) => readdirSync(folder).map((name) => join(folder, name))

describe('authorisation', () => {
  test('gets tokens once, keeps them for this user alone, and ordinary runs use them', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    expect(await authorise(server, folder)).toEqual(['echo'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(files(folder).map((file) => statSync(file).mode & 0o777)).toEqual([0o600])
    expect(await run(server, folder)).toEqual(['echo'])
    expect(server.requests('/authorize')).toHaveLength(1)
    expect(server.requests('/register')).toHaveLength(1)
    const [asked] = server.requests('/authorize')
    expect(Object.fromEntries(asked?.parameters ?? [])).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
    })
    expect(asked?.parameters.get('state')).toHaveLength(43)
    expect(knownTokens(folder).sort()).toEqual([...server.access, ...server.refresh].sort())
  })

  test('is asked for in an ordinary run by a sentence, and nothing is registered or opened', async () => {
    const server = await startOAuthServer()
    await expect(run(server, newFolder())).rejects.toThrow('Run "legwork auth remote"')
    expect(server.requests('/register')).toEqual([])
    const provider = oauthProvider({ server: 'remote', url: server.url, folder: newFolder() })
    expect(() => provider.clientInformation({ issuer: server.origin })).toThrow('needs authorisation')
  })

  test('of a registered client uses its id and secret', async () => {
    const server = await startOAuthServer()
    server.metadata = {
      registration_endpoint: undefined,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }
    const client = { id: 'ours', secret: 'ours-secret' }
    const folder = newFolder()
    expect(await authorise(server, folder, { client })).toEqual(['echo'])
    expect(new URLSearchParams(server.requests('/token')[0]?.body).get('client_secret')).toBe('ours-secret')
    expect(
      files(folder)
        .map((file) => readFileSync(file, 'utf8'))
        .join(),
    ).not.toContain('ours-secret')
  })

  test('by a client metadata document needs no registration', async () => {
    const server = await startOAuthServer()
    server.metadata = { client_id_metadata_document_supported: true }
    const clientMetadataUrl = 'https://legwork.example/client.json'
    expect(await authorise(server, newFolder(), { clientMetadataUrl })).toEqual(['echo'])
    expect(server.requests('/authorize')[0]?.parameters.get('client_id')).toBe(clientMetadataUrl)
    expect(server.requests('/register')).toEqual([])
  })

  test('a second time takes the same port and so the same registration, and another where the port is taken', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    server.access.clear()
    server.refresh.clear()
    await authorise(server, folder)
    expect(server.requests('/register')).toHaveLength(1)
    server.access.clear()
    server.refresh.clear()
    const way = new URL(server.requests('/authorize')[0]?.parameters.get('redirect_uri') ?? '')
    const squatter = createServer().listen(Number(way.port), '127.0.0.1')
    onTestFinished(() => void squatter.close())
    await authorise(server, folder)
    expect(server.requests('/register')).toHaveLength(2)
  })

  test('for more than was granted is asked for the next time', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    server.instead.set('/mcp', () => ({
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' },
    }))
    await expect(run(server, folder)).rejects.toThrow('Run "legwork auth remote"')
    server.instead.clear()
    await authorise(server, folder)
    expect(server.requests('/authorize').at(-1)?.parameters.get('scope')).toContain('files:write')
    await authorise(server, folder)
    expect(server.requests('/authorize')).toHaveLength(2)
  })

  test('is given up after three times', async () => {
    const server = await startOAuthServer()
    server.instead.set('/token', () => ({ body: { access_token: 'useless', token_type: 'Bearer' } }))
    await expect(authorise(server, newFolder())).rejects.toThrow()
    expect(server.requests('/authorize').length).toBeLessThanOrEqual(3)
  })
})

describe('tokens that end', () => {
  test('are refreshed without anybody, and the new ones are kept', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    for (let time = 0; time < 3; time++) {
      server.access.clear()
      expect(await run(server, folder)).toEqual(['echo'])
    }
    expect(server.requests('/authorize')).toHaveLength(1)
    expect(server.requests('/token')).toHaveLength(4)
  })

  test('are refreshed once for all calls that find out together', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    const provider = oauthProvider({ server: 'remote', url: server.url, folder })
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: [...server.refresh][0] ?? '' })
    const guarded = oauthFetch(server.url)
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => (await guarded(`${server.origin}/token`, { method: 'POST', body })).json()),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(server.requests('/token')).toHaveLength(2)
    expect(await provider.tokens()).toBeDefined()
  })

  test('and cannot be refreshed are thrown away, and a person is asked for', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    server.access.clear()
    server.refresh.clear()
    await expect(run(server, folder)).rejects.toThrow('Run "legwork auth remote"')
    expect(knownTokens(folder)).toEqual([])
    expect(await authorise(server, folder)).toEqual(['echo'])
  })

  test('and were refreshed by another process meanwhile are not thrown away', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    const slow = oauthProvider({ server: 'remote', url: server.url, folder })
    slow.clientInformation({ issuer: server.origin })
    slow.tokens({ issuer: server.origin })
    server.access.clear()
    await run(server, folder)
    await slow.invalidateCredentials?.('tokens')
    expect(knownTokens(folder).sort()).toEqual([...server.access, ...server.refresh].sort())
  })

  test('of which the issuer answers with a fault keep what they were, and no word of the answer comes out', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    const before = knownTokens(folder)
    server.access.clear()
    server.instead.set('/token', ({ body }) => ({ status: 500, body: `You sent ${body}` }))
    const error: unknown = await run(server, folder).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('legwork auth remote')
    expect(String(error)).not.toContain('You sent')
    expect(knownTokens(folder)).toEqual(before)
  })
})

describe('an answer from the browser', () => {
  /** Asks, and gives the way back with its state, to be used in any way. */
  async function asked(server: OAuthServer, more: Partial<AuthoriseOptions> = {}) {
    const way = Promise.withResolvers<URL>()
    const open = (url: URL) => way.resolve(url)
    const folder = newFolder()
    const done = authorise(server, folder, { open, ...more })
    done.catch(() => {})
    const address = await way.promise
    const back = new URL(address.searchParams.get('redirect_uri') ?? '')
    const state = address.searchParams.get('state') ?? ''
    const come = (parameters: Record<string, string>, init: RequestInit = {}) =>
      fetch(`${back}?${new URLSearchParams(parameters)}`, init)
    return { done, come, address, back, state }
  }

  test.each([
    ['with a foreign state', { state: 'x'.repeat(43) }],
    ['without a state', {}],
    ['with an empty state', { state: '' }],
  ])('%s is turned away, and the real one is still waited for', async (_, parameters) => {
    const server = await startOAuthServer()
    const { done, come, address, state } = await asked(server)
    const page = await come({ code: '<script>evil</script>', iss: server.origin, ...parameters })
    expect(page.status).toBe(400)
    expect(await page.text()).not.toContain('evil')
    expect(server.requests('/token')).toEqual([])
    expect((await come({ code: 'forged', state: `${state}x` })).status).toBe(400)
    await browse(address)
    expect(await done).toEqual(['echo'])
  })

  test.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of no issuer, where the issuer promised to name itself', {}],
    ['of an issuer with one slash more', { iss: 'SLASH' }],
  ])('%s is refused before the code is used', async (_, parameters) => {
    const server = await startOAuthServer()
    const { done, come, state } = await asked(server)
    const named = 'iss' in parameters && parameters.iss === 'SLASH' ? { iss: `${server.origin}/` } : parameters
    await come({ code: 'code', state, ...named })
    await expect(done).rejects.toThrow(/issuer/i)
    expect(server.requests('/token')).toEqual([])
  })

  test('that says no ends it, with the reason made safe', async () => {
    const server = await startOAuthServer()
    const { done, come, state } = await asked(server)
    await come({ error: 'access_denied\u001b[2J', state, iss: server.origin })
    await expect(done).rejects.toThrow('was refused (access_denied)')
  })

  test('at another path, by another method or for another host is turned away', async () => {
    const server = await startOAuthServer()
    const stop = new AbortController()
    const { done, come, back, state } = await asked(server, { signal: stop.signal })
    const good = { code: 'code', state, iss: server.origin }
    expect((await come(good, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${back.origin}/other?${new URLSearchParams(good)}`)).status).toBe(404)
    expect(await rawStatus(back, good, 'evil.example')).toBe(404)
    stop.abort()
    await expect(done).rejects.toThrow('given up')
    await expect(fetch(back)).rejects.toThrow()
  })

  test('that never comes is not waited for longer than agreed, and the door is closed', async () => {
    const server = await startOAuthServer()
    const { done, back } = await asked(server, { timeoutMs: 50 })
    await expect(done).rejects.toThrow('Nobody answered')
    await expect(fetch(back)).rejects.toThrow()
  })

  test('counts once', async () => {
    const server = await startOAuthServer()
    const { done, come, state } = await asked(server)
    const answers = await Promise.all(
      [0, 1].map(() => come({ code: 'code', state, iss: server.origin }).catch(() => undefined)),
    )
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1)
    await expect(done).rejects.toThrow()
    expect(server.requests('/token').length).toBeLessThanOrEqual(2)
  })
})

async function rawStatus(back: URL, parameters: Record<string, string>, host: string): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const path = `${back.pathname}?${new URLSearchParams(parameters)}`
    request({ host: '127.0.0.1', port: back.port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

describe('token files', () => {
  const url = 'https://remote.example/mcp'
  const issuer = 'https://issuer.example'

  function kept() {
    const folder = newFolder()
    const store = authorisationStore('remote', url, folder)
    store.save(issuer, { tokens: { access_token: 'secret', token_type: 'Bearer', issuer } })
    const [file = ''] = files(folder)
    return { folder, file, store }
  }

  test.each(['644', '640', '604', '620', '602'])('that others may touch (mode %s) are refused', (mode) => {
    const { file, store, folder } = kept()
    chmodSync(file, Number.parseInt(mode, 8))
    expect(() => store.latest()).toThrow('chmod 600')
    expect(() => store.save(issuer, {})).toThrow('chmod 600')
    expect(knownTokens(folder)).toEqual([])
  })

  test('in a folder that others may look into are refused', () => {
    const { folder, store } = kept()
    chmodSync(folder, 0o755)
    expect(() => store.latest()).toThrow('chmod 700')
    expect(() => store.save(issuer, {})).toThrow('chmod 700')
  })

  test.skipIf(process.geteuid?.() !== 0)('of another user are refused', () => {
    const { file, store } = kept()
    chownSync(file, 65_534, 65_534)
    expect(() => store.latest()).toThrow('belongs to another user')
  })

  test('that are links are refused', () => {
    const { file, folder, store } = kept()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    renameSync(file, elsewhere)
    symlinkSync(elsewhere, file)
    expect(() => store.latest()).toThrow()
    expect(knownTokens(folder)).toEqual([])
  })

  test.each(['', '{', '[]', '{"server": "remote"}', '{"server":"remote","url":7,"issuer":"x"}'])(
    'that hold %j are refused with a sentence',
    (text) => {
      const { file, store } = kept()
      writeFileSync(file, text)
      expect(() => store.latest()).toThrow('legwork auth remote')
    },
  )

  test('of one server are not those of another that has its name or its address', () => {
    const { folder } = kept()
    expect(authorisationStore('remote', 'https://evil.example/mcp', folder).latest()).toBeUndefined()
    expect(authorisationStore('other', url, folder).latest()).toBeUndefined()
    expect(authorisationStore('remote', `${url}#part`, folder).latest()).toBeUndefined()
    expect(authorisationStore('remote', url, folder).latest()?.tokens?.access_token).toBe('secret')
  })

  test('that were renamed do not pass for another server’s', () => {
    const { folder, file } = kept()
    const other = authorisationStore('remote', 'https://evil.example/mcp', folder)
    other.save(issuer, {})
    const evil = files(folder).find((name) => name !== file) ?? ''
    renameSync(file, evil)
    expect(() => other.latest()).toThrow('holds no authorisation')
  })

  test('are all gone when they are forgotten', () => {
    const { folder, store } = kept()
    store.save('https://second.example', {})
    expect(store.forget()).toBe(true)
    expect(files(folder)).toEqual([])
    expect(store.forget()).toBe(false)
  })

  test('names of servers lead nowhere else', () => {
    const folder = newFolder()
    authorisationStore('../../etc/passwd', url, folder).save(issuer, {})
    expect(files(folder)).toHaveLength(1)
  })

  test('whose folder is a file are an error that says so', () => {
    const folder = join(temporaryFolder(), 'file')
    writeFileSync(folder, '')
    expect(() => authorisationStore('remote', url, folder).save(issuer, {})).toThrow()
  })
})

test('tokens and registrations of one issuer are not shown to another', async () => {
  const [one, two] = [await startOAuthServer(), await startOAuthServer()]
  const folder = newFolder()
  const client = { id: 'ours', secret: 'ours-secret' }
  one.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  two.metadata = one.metadata
  await authorise(one, folder, { client })
  const tokens = knownTokens(folder)
  // The server now names another issuer, which is somebody else.
  one.access.clear()
  one.authorisationServer = two.origin
  await authorise(one, folder, { client }).catch(() => {})
  await run(one, folder).catch(() => {})
  const said = JSON.stringify(two.asked.map(({ body, headers, parameters }) => [body, headers, [...parameters]]))
  for (const secret of [...tokens, 'ours-secret']) expect(said).not.toContain(secret)
})

describe('a server that means ill', () => {
  test.each([
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['http://evil.example/authorize'],
    ['data:text/html,evil'],
    ['vscode://evil'],
    ['--flag'],
  ])('cannot have %s opened', async (address) => {
    const server = await startOAuthServer()
    server.metadata = { authorization_endpoint: address }
    const opened: URL[] = []
    await expect(authorise(server, newFolder(), { open: (url) => void opened.push(url) })).rejects.toThrow()
    expect(opened).toEqual([])
  })

  test.each([
    ['metadata that is endless', '/.well-known/oauth-authorization-server', { body: 'x'.repeat(3_000_000) }],
    ['metadata that is no JSON', '/.well-known/oauth-authorization-server', { body: '<html>' }],
    [
      'metadata of another issuer',
      '/.well-known/oauth-authorization-server',
      { body: { issuer: 'https://evil.example' } },
    ],
    ['a registration that is junk', '/register', { status: 201, body: { hello: 'world' } }],
    ['a registration that is a list', '/register', { status: 201, body: [] }],
    ['a registration that is endless', '/register', { status: 201, body: 'x'.repeat(3_000_000) }],
    ['a registration that is refused', '/register', { status: 400, body: 'x'.repeat(900_000) }],
    ['tokens that are junk', '/token', { body: { access_token: 7 } }],
    ['tokens that are no JSON', '/token', { body: 'token' }],
    ['tokens that are endless', '/token', { body: 'x'.repeat(3_000_000) }],
  ])('is an error in a sentence: %s', async (_, path, answer) => {
    const server = await startOAuthServer()
    server.instead.set(path, () => answer)
    const folder = newFolder()
    const error: unknown = await authorise(server, folder).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(String(error).length).toBeLessThan(2_000)
    expect(knownTokens(folder)).toEqual([])
  })

  test('whose description of itself is endless is taken for its own issuer, as if it had none', async () => {
    const server = await startOAuthServer()
    server.instead.set('/.well-known/oauth-protected-resource/mcp', () => ({ body: 'x'.repeat(3_000_000) }))
    expect(await authorise(server, newFolder())).toEqual(['echo'])
  })

  test('cannot have what was sent repeated in an error', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    await authorise(server, folder)
    const [, refresh = ''] = knownTokens(folder)
    const refused = { error: 'invalid_scope', error_description: `no such token: ${refresh}\u001b[2J` }
    server.instead.set('/token', () => ({ status: 400, body: refused }))
    server.access.clear()
    const error: unknown = await run(server, folder).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('no such token: [REDACTED]')
    expect(String(error)).not.toContain('\u001b')
  })

  test.each([
    'http://127.0.0.1:PORT/register',
    'http://localhost:PORT/register',
    'http://[::1]:PORT/register',
    'http://evil.localhost:PORT/',
    'http://2130706433:PORT/',
  ])('elsewhere cannot have us knock at %s', async (address) => {
    const server = await startOAuthServer()
    const target = address.replace('PORT', new URL(server.origin).port)
    await expect(oauthFetch('https://remote.example/mcp')(target, { method: 'POST' })).rejects.toThrow('this machine')
    expect(server.asked).toEqual([])
  })

  test.each(['http://10.0.0.1/token', 'http://metadata.internal/token', 'ftp://x.example/', 'file:///etc/passwd'])(
    'elsewhere cannot have us send anything to %s',
    async (target) => {
      await expect(oauthFetch('https://remote.example/mcp')(target)).rejects.toThrow('not "https:"')
    },
  )

  /** What reaches the network of requests to an address, by a server at another; names lead where they are said to. */
  const reached = async (home: string, target: string, names: Record<string, readonly string[]> = {}) => {
    const asked: string[] = []
    const inner: typeof fetch = async (input) => {
      asked.push(String(input))
      const hop = new URL(String(input)).searchParams.get('to')
      return hop ? new Response(null, { status: 302, headers: { location: hop } }) : new Response('{}')
    }
    const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('ENOTFOUND'))
    await oauthFetch(home, inner, resolve)(target).catch((error: Error) => asked.push(error.message))
    return asked
  }
  const remote = 'https://remote.example/mcp'

  test.each([
    ...['https://127.0.0.1:1/', 'https://[::ffff:127.0.0.1]:8443/', 'https://0.0.0.0:8443/', 'https://[::]:8443/'],
    ...['https://localhost.:8443/', 'https://localhost.localdomain/', 'https://169.254.169.254/x', 'https://10.0.0.1/'],
    ...['https://[fe80::1]/', 'https://[fd00::1]/', 'https://2130706433/', 'https://auth.example./', 'https://router/'],
  ])('on the internet cannot have us knock at %s', async (target) => {
    expect(await reached(remote, target)).toEqual([expect.stringContaining('refused')])
  })

  test('on the internet cannot have us knock nearer by a name that leads there, or by sending us on', async () => {
    const names = { 'near.example': ['203.0.113.9', '10.0.0.1'], 'here.example': ['::1'] }
    expect(await reached(remote, 'https://near.example/', names)).toEqual([expect.stringContaining('refused')])
    expect(await reached(remote, 'https://here.example/', names)).toEqual([expect.stringContaining('refused')])
    const hop = 'https://auth.example/?to=https%3A%2F%2F169.254.169.254%2F'
    expect(await reached(remote, hop)).toEqual([hop, expect.stringContaining('refused')])
    const circle = 'https://auth.example/?to=?to=?to=x'
    expect((await reached(remote, circle)).length).toBeLessThan(8)
  })

  test('reaches an issuer of its own network, and one that is farther', async () => {
    const names = {
      'mcp.corp.example': ['10.0.0.5'],
      'sso.corp.example': ['10.0.0.6'],
      'auth.example': ['203.0.113.9'],
    }
    const home = 'https://mcp.corp.example/mcp'
    for (const target of ['https://sso.corp.example/', 'https://auth.example/', 'https://10.0.0.7/']) {
      expect(await reached(home, target, names)).toEqual([target])
    }
    expect(await reached(home, 'https://127.0.0.1/', names)).toEqual([expect.stringContaining('refused')])
    const rebound = { 'remote.example': ['203.0.113.1', '10.0.0.5'] }
    expect(await reached(remote, 'https://10.0.0.6/', rebound)).toEqual([expect.stringContaining('refused')])
    expect(await reached('http://127.0.0.1:9/mcp', 'http://127.0.0.1:8/')).toEqual(['http://127.0.0.1:8/'])
  })
})

describe('the status of a server', () => {
  const statusOf = (url: string, folder: string, now = Date.now()) =>
    authorisationStatus('remote', { url }, { folder, now: () => now })

  test('says what it needs and what it has', async () => {
    const server = await startOAuthServer()
    const folder = newFolder()
    expect(await statusOf(server.url, folder)).toMatchObject({ status: 'needed' })
    await authorise(server, folder)
    expect(await statusOf(server.url, folder)).toMatchObject({
      status: 'authorised',
      refreshes: true,
      issuer: server.origin,
    })
    const later = Date.now() + 7_200_000
    expect(await statusOf(server.url, folder, later)).toMatchObject({
      status: 'authorised',
      message: expect.stringContaining('refreshed'),
    })
    const [file = ''] = files(folder)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"refresh_token":', '"other":'))
    expect(await statusOf(server.url, folder, later)).toMatchObject({ status: 'expired' })
    chmodSync(file, 0o644)
    expect(await statusOf(server.url, folder)).toMatchObject({ status: 'unusable' })
  })

  test('knows servers that need nothing, that have a header, and that are not there', async () => {
    const server = await startOAuthServer()
    server.instead.set('/mcp', () => ({ status: 400 }))
    const folder = newFolder()
    expect(await statusOf(server.url, folder)).toMatchObject({ status: 'not-needed' })
    const headers = { authorization: 'Bearer x' }
    expect(await authorisationStatus('remote', { url: server.url, headers }, { folder })).toMatchObject({
      status: 'header',
    })
    expect(await statusOf('http://127.0.0.1:1/mcp', folder)).toMatchObject({ status: 'unreachable' })
  })
})

test('whoever hides secrets is told of every token that comes in', async () => {
  const server = await startOAuthServer()
  const told: string[] = []
  await authorise(server, newFolder(), { onSecret: (value) => void told.push(value) })
  expect(told.sort()).toEqual([...server.access, ...server.refresh].sort())
})
