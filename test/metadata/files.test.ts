import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { describeProgram, openPrograms, printed } from './programs.ts'

/** A folder with a few files in it, and programs that work there. */
async function openFiles(...programs: readonly string[]) {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'src/deep'), { recursive: true })
  writeFileSync(join(folder, 'one.txt'), 'pear\napple\nfig\n')
  writeFileSync(join(folder, 'two.txt'), 'pear\nplum\nfig\n')
  writeFileSync(join(folder, 'src/main.ts'), 'const apple = 1\n')
  writeFileSync(join(folder, 'src/deep/other.ts'), '')
  writeFileSync(join(folder, '-dashed'), '-dashed\n')
  return { folder, legwork: await openPrograms(folder, programs, { approve: () => true }) }
}

describeProgram('ls', () => {
  test('lists folders, by name, with hidden files and in detail', async () => {
    const { folder, legwork } = await openFiles('ls')
    writeFileSync(join(folder, '.hidden'), '')
    expect(await printed(legwork, 'ls')).toBe('-dashed\none.txt\nsrc\ntwo.txt\n')
    expect(await printed(legwork, 'ls', { paths: ['src'], recursive: true })).toContain('src/deep:\nother.ts')
    expect(await printed(legwork, 'ls', { almostAll: true })).toContain('.hidden')
    expect(await printed(legwork, 'ls', { long: true, paths: ['one.txt'] })).toMatch(/^-rw.* one\.txt\n$/)
    expect(await printed(legwork, 'ls', { paths: ['-dashed'] })).toBe('-dashed\n')
  })
})

describeProgram('cat', () => {
  test('prints files, also one whose name begins with a dash', async () => {
    const { legwork } = await openFiles('cat')
    expect(await printed(legwork, 'cat', { files: ['one.txt', '-dashed'] })).toBe('pear\napple\nfig\n-dashed\n')
    expect(await printed(legwork, 'cat', { files: ['one.txt'], number: true })).toMatch(/^\s+1\tpear\n/)
  })
})

describeProgram('head', () => {
  test('prints the first lines or bytes', async () => {
    const { legwork } = await openFiles('head')
    expect(await printed(legwork, 'head', { files: ['one.txt'], lines: 2 })).toBe('pear\napple\n')
    expect(await printed(legwork, 'head', { files: ['one.txt'], bytes: 3 })).toBe('pea')
  })
})

describeProgram('tail', () => {
  test('prints the last lines, or all from one line on', async () => {
    const { legwork } = await openFiles('tail')
    expect(await printed(legwork, 'tail', { files: ['one.txt'], lines: '1' })).toBe('fig\n')
    expect(await printed(legwork, 'tail', { files: ['one.txt'], lines: '+2' })).toBe('apple\nfig\n')
  })
})

describeProgram('wc', () => {
  test('counts', async () => {
    const { legwork } = await openFiles('wc')
    expect(await printed(legwork, 'wc', { files: ['one.txt'], lines: true })).toBe('3 one.txt\n')
  })
})

describeProgram('sort', () => {
  test('prints lines in order, and writes them where it is told to', async () => {
    const { folder, legwork } = await openFiles('sort')
    expect(await printed(legwork, 'sort', { files: ['one.txt'], reverse: true })).toBe('pear\nfig\napple\n')
    expect(await printed(legwork, 'sort', { files: ['one.txt', 'two.txt'], unique: true })).toBe(
      'apple\nfig\npear\nplum\n',
    )
    await printed(legwork, 'sort', { files: ['one.txt'], output: 'sorted.txt' })
    expect(readFileSync(join(folder, 'sorted.txt'), 'utf8')).toBe('apple\nfig\npear\n')
  })
})

describeProgram('diff', () => {
  test('shows differences, which its exit code says too', async () => {
    const { legwork } = await openFiles('diff')
    const input = { from: 'one.txt', to: 'two.txt', context: 0 }
    expect(await legwork.call({ tool: 'diff', input })).toMatchObject({
      ok: false,
      code: 'tool-failed',
      process: { exitCode: 1, stdout: expect.stringContaining('-apple\n+plum\n') },
    })
    expect(await printed(legwork, 'diff', { ...input, to: 'one.txt' })).toBe('')
  })
})

describeProgram('grep', () => {
  test('finds lines by text and by pattern, in files and below folders', async () => {
    const { legwork } = await openFiles('grep')
    expect(await printed(legwork, 'grep', { pattern: 'apple', paths: ['one.txt'], lineNumber: true })).toBe('2:apple\n')
    expect(await printed(legwork, 'grep', { pattern: 'appl.', recursive: true, include: ['*.ts'] })).toBe(
      'src/main.ts:const apple = 1\n',
    )
    expect(await printed(legwork, 'grep', { pattern: '-dash', paths: ['-dashed'] })).toBe('-dashed\n')
    expect(await printed(legwork, 'grep', { pattern: 'f+g|plu', extendedRegexp: true, paths: ['two.txt'] })).toBe(
      'plum\n',
    )
  })
})

describeProgram('rg', () => {
  test('finds lines below folders', async () => {
    const { legwork } = await openFiles('rg')
    expect(await printed(legwork, 'rg', { pattern: 'appl.', paths: ['.'], glob: ['*.ts'] })).toContain(
      'src/main.ts:const apple = 1\n',
    )
  })
})

describeProgram('find', () => {
  test('finds files by name, kind, size, age and depth', async () => {
    const { folder, legwork } = await openFiles('find')
    utimesSync(join(folder, 'two.txt'), new Date(0), new Date(0))
    const found = async (input: object) => (await printed(legwork, 'find', input)).split('\n').filter(Boolean).sort()
    expect(await found({ paths: ['src'] })).toEqual(['src', 'src/deep', 'src/deep/other.ts', 'src/main.ts'])
    expect(await found({ paths: ['src'], type: 'f', name: '*.ts' })).toEqual(['src/deep/other.ts', 'src/main.ts'])
    expect(await found({ name: '*.ts', maxDepth: 2 })).toEqual(['./src/main.ts'])
    expect(await found({ type: 'f', empty: true })).toEqual(['./src/deep/other.ts'])
    expect(await found({ type: 'f', name: '*.txt', mtime: '-1' })).toEqual(['./one.txt'])
    expect(await found({ type: 'f', size: '-1' })).toEqual(['./src/deep/other.ts'])
    expect(await found({ name: '-dashed' })).toEqual(['./-dashed'])
  })

  test('deletes what passes the tests, and only that', async () => {
    const { folder, legwork } = await openFiles('find')
    await printed(legwork, 'find', { paths: ['.'], name: '*.txt', delete: true })
    expect([existsSync(join(folder, 'one.txt')), existsSync(join(folder, 'src/main.ts'))]).toEqual([false, true])
  })
})

describeProgram('sed', () => {
  test('edits text, and files in their place', async () => {
    const { folder, legwork } = await openFiles('sed')
    const input = { script: 's/apple/quince/;$d', files: ['one.txt'] }
    expect(await printed(legwork, 'sed:sandbox', input)).toBe('pear\nquince\n')
    expect(await printed(legwork, 'sed', { ...input, quiet: true, script: '2p' })).toBe('apple\n')
    expect(await printed(legwork, 'sed:sandbox', { ...input, inPlace: true })).toBe('')
    expect(readFileSync(join(folder, 'one.txt'), 'utf8')).toBe('pear\nquince\n')
  })
})

describeProgram('jq', () => {
  test('reads JSON files and makes values of its own', async () => {
    const { folder, legwork } = await openFiles('jq')
    writeFileSync(join(folder, 'data.json'), '{"items": [{"name": "a"}, {"name": "b"}]}')
    const files = ['data.json']
    expect(await printed(legwork, 'jq', { filter: '.items[].name', files, rawOutput: true })).toBe('a\nb\n')
    expect(await legwork.call({ tool: 'jq', input: { filter: '.items', files } })).toMatchObject({
      ok: true,
      value: [{ name: 'a' }, { name: 'b' }],
    })
    expect(await printed(legwork, 'jq', { filter: '1 + 1', nullInput: true })).toBe('2\n')
    expect(await printed(legwork, 'jq', { filter: '[1]', nullInput: true, indent: 1 })).toBe('[\n 1\n]\n')
  })
})

describeProgram('mkdir', () => {
  test('makes folders', async () => {
    const { folder, legwork } = await openFiles('mkdir')
    await printed(legwork, 'mkdir', { directories: ['a/b', '-c'], parents: true })
    expect([existsSync(join(folder, 'a/b')), existsSync(join(folder, '-c'))]).toEqual([true, true])
  })
})

describeProgram('cp', () => {
  test('copies, over what is there or not', async () => {
    const { folder, legwork } = await openFiles('cp')
    const two = () => readFileSync(join(folder, 'two.txt'), 'utf8')
    await printed(legwork, 'cp:noClobber', { sources: ['one.txt'], destination: 'two.txt' })
    expect(two()).toContain('plum')
    await printed(legwork, 'cp', { sources: ['one.txt'], destination: 'two.txt' })
    expect(two()).toContain('apple')
    await printed(legwork, 'cp', { sources: ['src', 'one.txt'], destination: 'src/deep', archive: true })
    expect(existsSync(join(folder, 'src/deep/one.txt'))).toBe(true)
  })
})

describeProgram('mv', () => {
  test('moves, over what is there or not', async () => {
    const { folder, legwork } = await openFiles('mv')
    await printed(legwork, 'mv:noClobber', { sources: ['one.txt'], destination: 'two.txt' })
    expect(existsSync(join(folder, 'one.txt'))).toBe(true)
    await printed(legwork, 'mv', { sources: ['one.txt'], destination: 'two.txt' })
    expect([existsSync(join(folder, 'one.txt')), existsSync(join(folder, 'two.txt'))]).toEqual([false, true])
  })
})

describeProgram('rm', () => {
  test('removes', async () => {
    const { folder, legwork } = await openFiles('rm')
    expect(await printed(legwork, 'rm', { paths: ['-dashed', 'src'], recursive: true })).toBe('')
    expect([existsSync(join(folder, '-dashed')), existsSync(join(folder, 'src'))]).toEqual([false, false])
  })
})

describeProgram('tar', () => {
  test('packs, lists and unpacks', async () => {
    const { folder, legwork } = await openFiles('tar')
    const file = 'all.tar.gz'
    expect(await printed(legwork, 'tar:create', { file, gzip: true, members: ['src', '-dashed'] })).toBe('')
    expect(await printed(legwork, 'tar:list', { file })).toBe(
      'src/\nsrc/deep/\nsrc/deep/other.ts\nsrc/main.ts\n-dashed\n',
    )
    mkdirSync(join(folder, 'out'))
    await printed(legwork, 'tar:extract', { file, directory: 'out', stripComponents: 1, members: ['src'] })
    expect(readFileSync(join(folder, 'out/main.ts'), 'utf8')).toBe('const apple = 1\n')
  })

  test('keeps files that exist when it is told to', async () => {
    const { folder, legwork } = await openFiles('tar')
    await printed(legwork, 'tar:create', { file: 'one.tar', members: ['one.txt'] })
    writeFileSync(join(folder, 'one.txt'), 'mine')
    expect(await legwork.call({ tool: 'tar:extractKeepOldFiles', input: { file: 'one.tar' } })).toMatchObject({
      ok: false,
    })
    expect(readFileSync(join(folder, 'one.txt'), 'utf8')).toBe('mine')
    await printed(legwork, 'tar:extract', { file: 'one.tar' })
    expect(readFileSync(join(folder, 'one.txt'), 'utf8')).toContain('pear')
  })
})
