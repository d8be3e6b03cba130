// What the default policy decides on calls of the shipped programs, and which of them are known to change nothing.

import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { openPrograms } from './programs.ts'

/** `reads`: also for a caller who may only read. `runs`: without a question. `asks`: a person first. */
type Expected = 'reads' | 'runs' | 'asks'

const verdicts: readonly (readonly [tool: string, input: object, expected: Expected])[] = [
  ['git:status', {}, 'reads'],
  ['git:log', { maxCount: 3, revision: 'main' }, 'reads'],
  ['git:log', { format: '%G?' }, 'runs'],
  ['git:diff', { staged: true }, 'reads'],
  ['git:branchList', {}, 'reads'],
  ['git:remote', {}, 'reads'],
  ['git:stashList', {}, 'reads'],
  ['git:cleanDryRun', {}, 'reads'],
  ['git:add', { all: true }, 'runs'],
  ['git:commit', { message: 'x' }, 'runs'],
  ['git:commit', { message: 'x', amend: true }, 'asks'],
  ['git:switch', { branch: 'main' }, 'runs'],
  ['git:switch', { branch: 'main', discardChanges: true }, 'asks'],
  ['git:checkout', { target: 'main' }, 'asks'],
  ['git:restore', { paths: ['a'] }, 'asks'],
  ['git:restoreStaged', { paths: ['a'] }, 'runs'],
  ['git:reset', { revision: 'HEAD' }, 'runs'],
  ['git:reset', { revision: 'HEAD', hard: true }, 'asks'],
  ['git:reset', { hard: false }, 'runs'],
  ['git:clean', { force: true }, 'asks'],
  ['git:branch', { name: 'x' }, 'runs'],
  ['git:branch', { name: 'x', force: true }, 'asks'],
  ['git:branchDelete', { names: ['x'] }, 'runs'],
  ['git:branchDelete', { names: ['x'], force: true }, 'asks'],
  ['git:stashPush', {}, 'runs'],
  ['git:stashDrop', {}, 'asks'],
  ['git:stashClear', {}, 'asks'],
  ['git:rebase', { upstream: 'main' }, 'asks'],
  ['git:fetch', {}, 'runs'],
  ['git:clone', { repository: 'https://example.com/x.git' }, 'runs'],
  ['git:push', { remote: 'origin', refspec: 'HEAD' }, 'runs'],
  ['git:push', { force: true }, 'asks'],
  ['git:push', { forceWithLease: true }, 'asks'],
  ['git:pushDelete', { remote: 'origin', names: ['x'] }, 'asks'],
  ['git:rm', { paths: ['a'] }, 'asks'],
  ['ls', {}, 'reads'],
  ['cat', { files: ['a'] }, 'reads'],
  ['head', { files: ['a'] }, 'reads'],
  ['tail', { files: ['a'] }, 'reads'],
  ['wc', { files: ['a'] }, 'reads'],
  ['diff', { from: 'a', to: 'b' }, 'reads'],
  ['grep', { pattern: 'a', recursive: true }, 'reads'],
  ['rg', { pattern: 'a', paths: ['.'] }, 'reads'],
  ['jq', { filter: '.' }, 'reads'],
  ['sort', { files: ['a'] }, 'reads'],
  ['sort', { files: ['a'], output: 'b' }, 'asks'],
  ['find', { name: 'a' }, 'reads'],
  ['find', { name: 'a', delete: true }, 'asks'],
  ['sed', { script: 'p', files: ['a'] }, 'asks'],
  ['sed:sandbox', { script: 'p', files: ['a'] }, 'reads'],
  ['sed:sandbox', { script: 'p', files: ['a'], inPlace: true }, 'asks'],
  ['mkdir', { directories: ['a'] }, 'runs'],
  ['cp', { sources: ['a'], destination: 'b' }, 'asks'],
  ['cp:noClobber', { sources: ['a'], destination: 'b' }, 'runs'],
  ['mv', { sources: ['a'], destination: 'b' }, 'asks'],
  ['mv:noClobber', { sources: ['a'], destination: 'b' }, 'runs'],
  ['rm', { paths: ['a'] }, 'asks'],
  ['tar:list', { file: 'a.tar' }, 'runs'],
  ['tar:extract', { file: 'a.tar' }, 'asks'],
  ['tar:extractKeepOldFiles', { file: 'a.tar' }, 'runs'],
  ['tar:create', { file: 'a.tar', members: ['a'] }, 'asks'],
  ['curl', { url: 'https://example.com' }, 'runs'],
  ['curl', { url: 'https://example.com', output: 'a' }, 'asks'],
  ['curl', { url: 'https://example.com', method: 'DELETE' }, 'asks'],
  ['curl', { url: 'https://example.com', data: 'a' }, 'asks'],
  ['curl', { url: 'https://example.com', header: ['@a'] }, 'asks'],
  ['curl', { url: 'https://example.com', uploadFile: 'a' }, 'asks'],
  ['curl:noClobber', { url: 'https://example.com', output: 'a' }, 'runs'],
  ['gh:prList', {}, 'runs'],
  ['gh:prCreate', { title: 'a', body: 'b' }, 'runs'],
  ['gh:prMerge', { number: 1 }, 'asks'],
  ['gh:prClose', { number: 1 }, 'runs'],
  ['gh:prClose', { number: 1, deleteBranch: true }, 'asks'],
  ['npm:ls', {}, 'runs'],
  ['npm:install', {}, 'asks'],
  ['npm:run', { script: 'test' }, 'asks'],
  ['docker:ps', {}, 'runs'],
  ['docker:stop', { containers: ['a'] }, 'runs'],
  ['docker:rm', { containers: ['a'] }, 'asks'],
  ['docker:run', { image: 'debian' }, 'asks'],
  ['docker:exec', { container: 'a', command: ['ls'] }, 'asks'],
  ['kubectl:get', { resource: 'pods', namespace: 'a' }, 'runs'],
  ['kubectl:configCurrentContext', {}, 'reads'],
  ['kubectl:apply', { filename: ['a.yaml'] }, 'asks'],
  ['kubectl:applyDryRunServer', { filename: ['a.yaml'] }, 'runs'],
  ['kubectl:delete', { resource: 'pods', names: ['a'] }, 'asks'],
]

describe('the default policy', () => {
  test.each(verdicts)('%s %j %s', async (tool, input, expected) => {
    const [program = ''] = tool.split(':')
    const legwork = await openPrograms(temporaryFolder(), [program])
    expect(await legwork.why({ tool, input })).toMatchObject({
      ok: true,
      decision: { verdict: expected === 'asks' ? 'ask' : 'allow' },
    })
    const caller = { front: 'library', readOnly: true } as const
    expect(await legwork.why({ tool, input, caller })).toMatchObject({
      decision: { verdict: expected === 'reads' ? 'allow' : 'deny' },
    })
  })
})

test('what writes or uses the network says so where the owner forbids it', async () => {
  const programs = [...new Set(verdicts.map(([tool]) => tool.split(':')[0] ?? ''))]
  const policy = { allowNetwork: false, allowFilesystemWrite: false }
  const legwork = await openPrograms(temporaryFolder(), programs, { policy })
  for (const [tool, input, expected] of verdicts) {
    const why = await legwork.why({ tool, input })
    if (expected === 'reads') expect(why, tool).toMatchObject({ decision: { verdict: 'allow' } })
  }
  for (const tool of ['git:push', 'git:commit', 'curl', 'rm', 'mkdir', 'docker:ps', 'npm:ls']) {
    expect(await legwork.why({ tool }), tool).toMatchObject({ decision: { verdict: 'deny' } })
  }
})
