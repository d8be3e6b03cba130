// Programs that talk to a service, against a server of the test's own: nothing leaves this machine.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { startLoopback } from './loopback.ts'
import { describeProgram, openPrograms, printed } from './programs.ts'

describeProgram('gh', () => {
  test('lists, shows and opens issues', async () => {
    const folder = temporaryFolder()
    const server = await startLoopback(({ url, body }) => {
      if (url.endsWith('/meta')) return { body: '{}' }
      const { query = '' } = JSON.parse(body || '{}')
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: answer(query) }) }
    })
    // The host "github.localhost" is spoken to without encryption; the proxy is the server itself.
    const env = {
      HTTP_PROXY: server.address,
      GH_HOST: 'github.localhost',
      GH_ENTERPRISE_TOKEN: 'no-real-token-at-all',
      GH_CONFIG_DIR: join(folder, 'gh'),
    }
    const legwork = await openPrograms(folder, ['gh'], { env })
    const repo = 'github.localhost/ada/engine'
    expect(await legwork.call({ tool: 'gh:issueList', input: { repo, json: 'number,title' } })).toMatchObject({
      ok: true,
      value: [{ number: 7, title: 'It stops' }],
    })
    expect(await printed(legwork, 'gh:issueCreate', { repo, title: '--web', body: '@file $(id)' })).toContain(
      '/ada/engine/issues/8',
    )
    expect(server.asked.at(-1)?.body).toContain('"title":"--web"')
    expect(server.asked.at(-1)?.body).toContain('"body":"@file $(id)"')
  })
})

function answer(query: string): object {
  if (query.includes('createIssue')) {
    return { createIssue: { issue: { id: 'I8', url: 'http://github.localhost/ada/engine/issues/8' } } }
  }
  const issues = { totalCount: 1, nodes: [{ number: 7, title: 'It stops' }], pageInfo: { hasNextPage: false } }
  return { repository: { id: 'R1', name: 'engine', owner: { login: 'ada' }, hasIssuesEnabled: true, issues } }
}

describeProgram('npm', () => {
  test('lists what is installed, asks the registry, and runs scripts', async () => {
    const folder = temporaryFolder()
    const manifest = { name: 'thing', version: '1.2.3', dist: { tarball: 'http://127.0.0.1/thing.tgz', shasum: '' } }
    const server = await startLoopback(() => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'thing', 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': manifest } }),
    }))
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'mine', version: '0.0.1', scripts: { hello: 'echo hello from the script' } }),
    )
    mkdirSync(join(folder, 'node_modules/dependency'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/dependency/package.json'), '{"name": "dependency", "version": "4.5.6"}')
    const env = {
      npm_config_registry: `${server.address}/`,
      npm_config_cache: join(folder, '.cache'),
    }
    const legwork = await openPrograms(folder, ['npm'], { env, approve: () => true })
    expect(await printed(legwork, 'npm:ls', { packages: ['dependency'] })).toContain('dependency@4.5.6')
    expect(await printed(legwork, 'npm:view', { package: 'thing', fields: ['version'] })).toBe('1.2.3\n')
    expect(await printed(legwork, 'npm:run', { script: 'hello' })).toContain('hello from the script')
  })
})

describeProgram('docker', () => {
  test('lists containers and shows their output', async () => {
    const server = await startLoopback(({ url }) => {
      const headers = { 'api-version': '1.45', 'content-type': 'application/json' }
      if (url.includes('/containers/json')) return { headers, body: JSON.stringify([container]) }
      if (url.includes('/containers/web/json')) return { headers, body: '{"Id": "abc"}' }
      return { headers, body: 'OK' }
    })
    const folder = temporaryFolder()
    const env = { DOCKER_HOST: `tcp://127.0.0.1:${server.port}`, DOCKER_CONFIG: folder }
    const legwork = await openPrograms(folder, ['docker'], { env })
    expect(await legwork.call({ tool: 'docker:ps', input: { all: true, format: 'json' } })).toMatchObject({
      ok: true,
      value: { Names: 'web', Image: 'debian:12' },
    })
    expect(await printed(legwork, 'docker:inspect', { objects: ['web'], type: 'container' })).toContain('"Id": "abc"')
    expect(await legwork.call({ tool: 'docker:rm', input: { containers: ['web'] } })).toMatchObject({
      ok: false,
      code: 'approval-needed',
    })
  })
})

const container = {
  Id: 'abc',
  Names: ['/web'],
  Image: 'debian:12',
  Command: 'sh',
  Created: 1,
  State: 'running',
  Status: 'Up',
}

describeProgram('kubectl', () => {
  test('shows its own version and the contexts of the configuration', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'config'), JSON.stringify(kubernetes))
    const legwork = await openPrograms(folder, ['kubectl'], { env: { KUBECONFIG: join(folder, 'config') } })
    expect(await printed(legwork, 'kubectl:configCurrentContext')).toBe('test\n')
    expect(await printed(legwork, 'kubectl:configGetContexts', { output: 'name' })).toBe('test\n')
    expect(await legwork.call({ tool: 'kubectl:versionClient', input: { output: 'json' } })).toMatchObject({
      ok: true,
      value: { clientVersion: {} },
    })
  })
})

const kubernetes = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'test',
  contexts: [{ name: 'test', context: { cluster: 'none', user: 'nobody' } }],
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'nobody', user: {} }],
}
