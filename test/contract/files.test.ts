// What contracts may do to files: each read and each write is a call that the policy decides on, wherever the workspace stands.

import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLegwork, type Legwork, type LegworkOptions } from '../../src/index.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function open(options: LegworkOptions): Promise<Legwork> {
  const legwork = await createLegwork({ journal: { path: ':memory:' }, ...options })
  onTestFinished(() => legwork.close())
  return legwork
}

const writeId = 'lcod://core/fs/write_file@1'
const write = (path: string) => ({
  source: `async (_, api) => api.call('${writeId}', { path: ${JSON.stringify(path)}, data: 'x', createParents: true })`,
})

describe('whoever may only read', () => {
  const ways: readonly (readonly [string, object])[] = [
    ['a plain name', write('out.txt')],
    [
      'a name put together',
      { source: 'async (_, api) => api.call("lcod://core/fs/wr" + "ite_file@1", { path: "out.txt", data: "x" })' },
    ],
    [
      'a name from the state',
      {
        source: 'async ({ state }, api) => api.call(state.a + state.b, { path: "out.txt", data: "x" })',
        input: { a: 'lcod://core/fs/', b: 'write_file@1' },
      },
    ],
    [
      'another spelling',
      { source: 'async (_, api) => api.call("lcod://contract/core/fs/write-file@1", { path: "out.txt", data: "x" })' },
    ],
    [
      'an import',
      { source: 'async ({ imports }) => imports.w({ path: "out.txt", data: "x" })', imports: { w: writeId } },
    ],
    ['a step', { compose: [{ call: writeId, in: { path: 'out.txt', data: 'x' } }] }],
    [
      'a step of another file',
      {
        compose: [
          {
            call: 'lcod://tooling/test_checker@1',
            in: { composeRef: { path: 'steps.yaml' }, expected: {} },
            out: { r: '$' },
          },
        ],
      },
    ],
    [
      'a script in a step',
      { compose: [{ call: 'lcod://tooling/script@1', in: { ...write('out.txt') }, out: { r: '$' } }] },
    ],
  ]
  const steps = `compose:\n  - call: ${writeId}\n    in: { path: out.txt, data: x }\n`

  test.each(ways)('writes nothing by %s', async (_name, request) => {
    const workspace = temporaryFolder()
    writeFileSync(join(workspace, 'steps.yaml'), steps)
    const files = { root: workspace }
    const caller = { front: 'library', readOnly: true } as const
    const asked = await (await open({ workspace })).contract(request as never, { caller, files })
    const denied = await (await open({ workspace, policy: { allowFilesystemWrite: false } })).contract(
      request as never,
      { files },
    )
    expect(existsSync(join(workspace, 'out.txt'))).toBe(false)
    for (const outcome of [asked, denied]) expect(JSON.stringify(outcome)).toMatch(/Denied/)
    const allowed = await (await open({ workspace })).contract(request as never, { files })
    expect(allowed.ok).toBe(true)
    expect(readFileSync(join(workspace, 'out.txt'), 'utf8')).toBe('x')
  })

  test('reads, lists and parses', async () => {
    const workspace = temporaryFolder()
    writeFileSync(join(workspace, 'a.json'), '{"a":1}')
    const legwork = await open({ workspace })
    const source = `async (_, api) => [
      (await api.call('lcod://core/fs/read_file@1', { path: 'a.json' })).size,
      (await api.call('lcod://core/parse/json@1', { path: 'a.json' })).value,
      (await api.call('lcod://core/fs/list_dir@1', {})).entries.length,
    ]`
    const caller = { front: 'library', readOnly: true } as const
    expect(await legwork.contract({ source }, { caller, files: { root: workspace } })).toMatchObject({
      ok: true,
      value: [7, { a: 1 }, 1],
    })
  })
})

test('each write is in the journal and among the calls, by its path and what it wrote', async () => {
  const workspace = temporaryFolder()
  const legwork = await open({ workspace })
  const outcome = await legwork.contract(write('a/b.txt'), { files: { root: workspace } })
  expect(outcome.calls).toEqual([expect.objectContaining({ tool: 'core:fsWriteFile', ok: true })])
  const [entry] = legwork.journal.read({ tool: 'core:fsWriteFile', phase: 'start' })
  expect(entry).toMatchObject({ parentId: outcome.callId, caller: 'contract', kind: 'contract' })
  expect(String(entry?.input)).toMatch(/a\/b\.txt.*"bytes":1.*sha256/)
})

test('what is read is not redacted on its way to the script, and is in what leaves', async () => {
  const workspace = temporaryFolder()
  writeFileSync(join(workspace, 'a.txt'), 's3cret-value-1')
  const legwork = await open({ workspace, redact: { values: ['s3cret-value-1'] } })
  const source = `async (_, api) => { const { data } = await api.call('lcod://core/fs/read_file@1', { path: 'a.txt' }); return [data.length, data] }`
  const { value } = await legwork.contract({ source }, { files: { root: workspace } })
  expect(value).toEqual([14, expect.not.stringContaining('s3cret')])
})

describe('a workspace behind a link', () => {
  const linked = () => {
    const folder = realpathSync(temporaryFolder())
    mkdirSync(join(folder, 'real/.legwork'), { recursive: true })
    writeFileSync(
      join(folder, 'real/legwork.jsonc'),
      '{"functions": ["./tools.mjs"], "contracts": ["./contracts/*.yaml"], "documents": ["./documents/**/*.xml"]}',
    )
    writeFileSync(join(folder, 'real/tools.mjs'), 'export {}')
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    return { real: join(folder, 'real'), link: join(folder, 'link') }
  }

  test.each([
    'legwork.jsonc',
    'legwork.json',
    'legwork.lock',
    'sub/legwork.jsonc',
    'tools.mjs',
    './contracts/../tools.mjs',
    'contracts/new.yaml',
    'documents/deep/er/new.xml',
    '.legwork/legwork.db',
    '.legwork/new/x',
  ])('%s is written by neither way', async (path) => {
    const { real, link } = linked()
    for (const root of [real, link]) {
      const legwork = await createLegwork({ configuration: join(root, 'legwork.jsonc') })
      onTestFinished(() => legwork.close())
      for (const given of [path, join(root, path), join(real, path)]) {
        const outcome = await legwork.contract(write(given), { files: { root } })
        expect(outcome).toMatchObject({
          ok: false,
          message: expect.stringMatching(/may not be written|does not exist/),
        })
      }
    }
    expect(existsSync(join(real, '.legwork/new'))).toBe(false)
    expect(existsSync(join(real, 'sub'))).toBe(false)
  })

  test('a path through the link, one past it and a relative one are the same file', async () => {
    const { real, link } = linked()
    const legwork = await createLegwork({ configuration: join(link, 'legwork.jsonc') })
    onTestFinished(() => legwork.close())
    for (const path of ['a.txt', join(link, 'a.txt'), join(real, 'a.txt')]) {
      expect(await legwork.contract(write(path), { files: { root: link } })).toMatchObject({ ok: true })
    }
    expect(readFileSync(join(real, 'a.txt'), 'utf8')).toBe('x')
    const list = `async (_, api) => (await api.call('lcod://core/fs/list_dir@1', { recursive: true, includeHidden: true })).entries.map(({ path }) => path)`
    expect(await legwork.contract({ source: list }, { files: { root: link } })).toMatchObject({
      value: ['a.txt', 'legwork.jsonc', 'tools.mjs'],
    })
  })
})
