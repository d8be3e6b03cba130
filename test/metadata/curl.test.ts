import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { startLoopback } from './loopback.ts'
import { describeProgram, openPrograms, printed } from './programs.ts'

async function openCurl() {
  const folder = temporaryFolder()
  const server = await startLoopback(({ url }) => {
    if (url === '/moved') return { status: 302, headers: { location: '/data' }, body: '' }
    if (url === '/missing') return { status: 404, body: 'nothing here' }
    return { headers: { 'x-kind': 'test' }, body: '{"from": "loopback"}' }
  })
  const legwork = await openPrograms(folder, ['curl'], { approve: () => true, env: { CURL_HOME: folder } })
  const curl = (path: string, input: object = {}, tool = 'curl') =>
    printed(legwork, tool, { url: `${server.address}${path}`, silent: true, ...input })
  return { folder, server, legwork, curl }
}

describeProgram('curl', () => {
  test('fetches, follows redirects, and shows status and headers', async () => {
    const { server, legwork, curl } = await openCurl()
    const input = { url: `${server.address}/data`, silent: true }
    expect(await legwork.call({ tool: 'curl', input })).toMatchObject({ ok: true, value: { from: 'loopback' } })
    expect(await curl('/moved')).toBe('')
    expect(await curl('/moved', { location: true, maxRedirs: 2 })).toBe('{"from": "loopback"}')
    expect(await curl('/missing', { status: true })).toBe('nothing here\n404')
    expect(await curl('/missing', { failWithBody: true })).toContain('[Exit code: 22]')
    expect(await curl('/data', { head: true })).toContain('x-kind: test')
  })

  test('sends text, forms, files, methods and headers', async () => {
    const { folder, server, curl } = await openCurl()
    writeFileSync(join(folder, 'up.txt'), 'the file')
    await curl('/a', { data: '@up.txt', header: ['Content-Type: text/plain', 'X-Other: 1'], bearer: '-token' })
    await curl('/b', { method: 'DELETE', userAgent: '--output=x', referer: 'here' })
    await curl('/c', { uploadFile: 'up.txt' })
    await curl('/d', { formString: ['name=<up.txt'] })
    const [text, method, file, form] = server.asked
    expect(text).toMatchObject({
      method: 'POST',
      body: '@up.txt',
      headers: { 'content-type': 'text/plain', 'x-other': '1', authorization: 'Bearer -token' },
    })
    expect(method).toMatchObject({ method: 'DELETE', headers: { 'user-agent': '--output=x', referer: 'here' } })
    expect(file).toMatchObject({ method: 'PUT', body: 'the file' })
    expect(form?.body).toContain('\r\n\r\n<up.txt\r\n')
  })

  test('writes the answer to a file, and with --no-clobber never over one', async () => {
    const { folder, curl } = await openCurl()
    await curl('/data', { output: 'deep/answer.json', createDirs: true })
    expect(readFileSync(join(folder, 'deep/answer.json'), 'utf8')).toBe('{"from": "loopback"}')
    writeFileSync(join(folder, 'mine.txt'), 'mine')
    await curl('/data', { output: 'mine.txt' }, 'curl:noClobber')
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine')
    expect(existsSync(join(folder, 'mine.txt.1'))).toBe(true)
  })
})
