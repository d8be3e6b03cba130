import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { describeProgram, openPrograms, printed } from './programs.ts'

/** A repository with two commits, made through Legwork itself. */
async function openRepository() {
  const folder = temporaryFolder()
  const legwork = await openPrograms(folder, ['git'], { approve: () => true })
  const git = (tool: string, input: object = {}) => printed(legwork, `git:${tool}`, input)
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  await git('init', { initialBranch: 'main' })
  write('README.md', 'one\n')
  await git('add', { all: true })
  await git('commit', { message: 'First' })
  write('README.md', 'one\ntwo\n')
  await git('commit', { message: 'Second\n\nWith "quotes" and $(text)', all: true })
  return { folder, legwork, git, write, read }
}

describeProgram('git', () => {
  test('shows history, a commit, who wrote a line, and what changed', async () => {
    const { git, write } = await openRepository()
    expect(await git('log', { oneline: true, maxCount: 1 })).toMatch(/^[0-9a-f]{7} Second\n$/)
    expect(await git('log', { format: '%an %s%n%b', revision: 'HEAD' })).toContain(
      'Ada Second\nWith "quotes" and $(text)',
    )
    expect(await git('log', { paths: ['README.md'], reverse: true, pretty: 'oneline' })).toMatch(/First\n.*Second\n$/s)
    expect(await git('log', { grep: '-no-such-', changedText: 'two', oneline: true })).toBe('')
    expect(await git('show', { objects: ['HEAD~1:README.md'] })).toBe('one\n')
    expect(await git('show', { stat: true })).toContain('1 file changed')
    expect(await git('blame', { file: 'README.md', lines: '2,2' })).toContain('(Ada ')
    expect(await git('grep', { pattern: 'tw.', lineNumber: true })).toBe('README.md:2:two\n')
    expect(await git('lsFiles')).toBe('README.md\n')
    expect(await git('lsTree', { tree: 'HEAD', nameOnly: true })).toBe('README.md\n')
    expect(await git('revParse', { revisions: ['HEAD'], abbrevRef: true })).toBe('main\n')
    expect(await git('shortlog', { revision: 'HEAD', summary: true })).toBe('     2\tAda\n')
    expect(await git('describe', { always: true })).toMatch(/^[0-9a-f]{7}\n$/)
    expect(await git('reflogShow')).toContain('commit: Second')
    write('README.md', 'three\n')
    write('new.txt', '')
    expect(await git('status', { short: true })).toBe(' M README.md\n?? new.txt\n')
    expect(await git('diff', { nameOnly: true })).toBe('README.md\n')
    expect(await git('diff', { targets: ['HEAD~1', 'HEAD'], unified: 0 })).toContain('\n+two\n')
  })

  test('makes, lists, renames and deletes branches and tags', async () => {
    const { git } = await openRepository()
    expect(await git('branch', { name: 'topic', startPoint: 'HEAD~1' })).toBe('')
    expect(await git('branchList')).toBe('* main\n  topic\n')
    expect(await git('branchMove', { name: 'topic', newName: 'other' })).toBe('')
    expect(await git('switch', { branch: 'other' })).toBe('')
    expect(await git('branchShowCurrent')).toBe('other\n')
    await git('switch', { create: 'fresh', branch: 'main' })
    expect(await git('mergeBase', { commits: ['main', 'other'] })).toBe(await git('revParse', { revisions: ['other'] }))
    expect(await git('branchDelete', { names: ['other'] })).toContain('Deleted branch other')
    expect(await git('tag', { name: 'v1', message: 'The first' })).toBe('')
    expect(await git('tagList', { patterns: ['v*'], lines: 1 })).toMatch(/^v1\s+The first\n$/)
    expect(await git('tagDelete', { names: ['v1'] })).toContain("Deleted tag 'v1'")
  })

  test('merges, picks, reverts, rebases and resets', async () => {
    const { git, write, read } = await openRepository()
    await git('switch', { create: 'topic' })
    write('topic.txt', 'topic\n')
    await git('add', { paths: ['topic.txt'] })
    await git('commit', { message: 'Topic' })
    await git('switch', { branch: 'main' })
    expect(await git('merge', { commits: ['topic'], noFf: true, message: 'Joined' })).toContain('topic.txt')
    expect(await git('revert', { commits: ['topic'] })).toContain('Revert "Topic"')
    expect(await git('cherryPick', { commits: ['topic'] })).toContain('Topic')
    expect(await git('reset', { revision: 'HEAD~1', hard: true })).toContain('Revert "Topic"')
    expect(await git('commit', { message: 'Better', amend: true, allowEmpty: true })).toContain('Better')
    expect(await git('rebase', { upstream: 'topic' })).not.toContain('tool-failed')
    expect(read('README.md')).toBe('one\ntwo\n')
  })

  test('puts changes aside, brings files back and cleans up', async () => {
    const { folder, git, write, read } = await openRepository()
    write('README.md', 'changed\n')
    write('loose.txt', '')
    expect(await git('stashPush', { message: '--patch', includeUntracked: true })).toContain('--patch')
    expect(await git('stashList')).toContain('--patch')
    expect(await git('stashShow', { stat: true })).toContain('README.md')
    await git('stashPop')
    expect(read('README.md')).toBe('changed\n')
    await git('add', { paths: ['README.md'] })
    await git('restoreStaged', { paths: ['README.md'] })
    expect(await git('status', { short: true })).toContain(' M README.md')
    await git('restore', { paths: ['README.md'] })
    expect(read('README.md')).toBe('one\ntwo\n')
    expect(await git('cleanDryRun')).toBe('Would remove loose.txt\n')
    expect(await git('clean', { force: true })).toBe('Removing loose.txt\n')
    await git('mv', { sources: ['README.md'], destination: 'READ.md' })
    expect(existsSync(join(folder, 'READ.md'))).toBe(true)
    await git('rmCached', { paths: ['READ.md'] })
    expect(existsSync(join(folder, 'READ.md'))).toBe(true)
    await git('checkout', { target: 'HEAD', paths: ['README.md'] })
    expect(existsSync(join(folder, 'README.md'))).toBe(true)
    await git('rm', { paths: ['README.md'] })
    expect(existsSync(join(folder, 'README.md'))).toBe(false)
  })

  test('clones, fetches, pulls and pushes', async () => {
    const { folder, legwork, git } = await openRepository()
    await git('clone', { repository: '.', directory: 'shared.git', bare: true })
    await git('clone', { repository: 'shared.git', directory: 'copy' })
    const copy = { workingDirectory: 'copy' }
    expect(await git('remote', { ...copy, verbose: true })).toContain('shared.git (fetch)')
    writeFileSync(join(folder, 'copy/more.txt'), '')
    await git('add', { ...copy, all: true })
    await git('commit', { ...copy, message: 'More' })
    expect(
      await legwork.call({ tool: 'git:push', input: { ...copy, remote: 'origin', refspec: 'HEAD' } }),
    ).toMatchObject({
      ok: true,
    })
    await git('remoteAdd', { name: 'shared', url: './shared.git' })
    expect(await git('remoteGetUrl', { name: 'shared' })).toBe('./shared.git\n')
    expect(await git('lsRemote', { remote: 'shared', heads: true })).toContain('refs/heads/main')
    expect(await legwork.call({ tool: 'git:fetch', input: { remote: 'shared' } })).toMatchObject({ ok: true })
    expect(await git('merge', { commits: ['shared/main'], ffOnly: true })).toContain('more.txt')
    expect(await git('pull', { ...copy, ffOnly: true })).toContain('Already up to date')
    await git('push', { ...copy, setUpstream: true, remote: 'origin', refspec: 'HEAD' })
    expect(await git('pushDelete', { ...copy, remote: 'origin', names: ['no-such'] })).toContain('tool-failed')
  })

  test('applies patches and keeps working trees', async () => {
    const { git, write, read } = await openRepository()
    write('a.patch', await git('diff', { targets: ['HEAD', 'HEAD~1'] }))
    expect(await git('applyCheck', { patches: ['a.patch'] })).toBe('')
    await git('apply', { patches: ['a.patch'] })
    expect(read('README.md')).toBe('one\n')
    await git('worktreeAdd', { path: 'tree', newBranch: 'side' })
    expect(await git('worktreeList')).toContain('[side]')
    await git('worktreeRemove', { worktree: 'tree' })
    expect(await git('worktreeList')).not.toContain('[side]')
  })

  test('works in another folder on request, which may run what that repository names', async () => {
    const { folder, legwork, git } = await openRepository()
    mkdirSync(join(folder, 'inner'))
    await git('init', { directory: 'inner', initialBranch: 'inside' })
    expect(await git('branchShowCurrent', { workingDirectory: 'inner' })).toBe('inside\n')
    const caller = { front: 'library', readOnly: true } as const
    expect(await legwork.why({ tool: 'git:status', input: {}, caller })).toMatchObject({
      decision: { verdict: 'allow' },
    })
    const elsewhere = { tool: 'git:status', input: { workingDirectory: 'inner' }, caller }
    expect(await legwork.why(elsewhere)).toMatchObject({ decision: { verdict: 'deny' } })
  })
})
