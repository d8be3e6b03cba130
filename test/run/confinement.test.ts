import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { confinementAvailable } from '../../src/run/confinement.ts'
import { type ConfinementProfile, viewOf } from '../../src/run/profile.ts'
import { report, run, temporaryFolder, useOwnTemporaryFolder, withoutBubblewrap } from '../fixtures/run/support.ts'

describe.skipIf(withoutBubblewrap)('full', () => {
  const secret = 'canary-4711'
  const inside = (script: string, folder: string, profile: ConfinementProfile = {}, env?: Record<string, string>) =>
    report(['sh', '-c', script], 'full', { cwd: folder, profile: { workspace: folder, ...profile }, env })

  test('is found to work by trying it', async () => {
    expect(await confinementAvailable('full')).toMatchObject({ available: true })
    expect(await confinementAvailable('processes')).toMatchObject({ available: true })
  })

  test.each([
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/ssl/private',
    '/etc/ssh',
    '/root',
    '/home',
    '/var',
    '/sys',
    '/proc/1/root/etc/shadow',
    '/dev/mem',
    '/dev/kmsg',
    '/dev/sda',
    '/dev/vda',
  ])('%s is not there', async (path) => {
    const ended = await inside(`cat "${path}" || ls -A "${path}"`, temporaryFolder())
    expect(ended.stdout).toBe('')
  })

  test.each([
    ['the system', 'touch /usr/x'],
    ['a program', 'echo > /usr/bin/env'],
    ['a file of /etc', 'echo >> /etc/passwd'],
    ['the working directory, unless it is given', 'touch x'],
    ['a mount', 'mount -t tmpfs none /usr'],
    ['a mount undone', 'umount /usr'],
    ['a device', 'mknod /tmp/d b 254 0'],
    ['the name of the machine', 'hostname x'],
    ['another root', 'chroot /usr /bin/true'],
  ])('cannot change %s', async (_, script) => {
    expect((await inside(script, temporaryFolder())).exitCode).not.toBe(0)
  })

  // Only whether it could be written to is asked: nothing is.
  const writable = `find -H /proc -path '/proc/[0-9]*' -prune -o -path '/proc/*self' -prune -o -type f -print |
    while read -r file; do [ -w "$file" ] && echo "$file"; done`

  // A user who is not root has there what belongs to the namespaces that were made for him.
  test.skipIf(process.getuid?.() !== 0)('cannot change the kernel by any file of /proc', async () => {
    expect((await inside(writable, temporaryFolder())).stdout).toBe('')
  })

  test.each([
    '/proc/sys/kernel/core_pattern',
    '/proc/sys/kernel/modprobe',
    '/proc/sysrq-trigger',
    '/proc/irq',
    '/proc/bus',
    '/proc/fs',
    '/proc/acpi',
  ])('cannot make %s writable again', async (path) => {
    const again = `mount -o remount,rw /proc; umount /proc/sys /proc; mount -t proc proc /proc`
    const ask = `[ -w ${path} ] && echo writable`
    const script = `${again}; ${ask}; unshare --user --map-root-user --mount --pid --fork sh -c '${again}; ${ask}'; ${ask}`
    expect((await inside(script, temporaryFolder())).stdout).toBe('')
  })

  test('sees no process but its own', async () => {
    const ended = await inside('ls /proc | grep -c "^[0-9]"; kill -9 -1; echo alive', temporaryFolder())
    expect(Number(ended.stdout.split('\n')[0])).toBeLessThan(8)
  })

  test('has a /tmp of its own, and nothing of it stays', async () => {
    const folder = temporaryFolder()
    const name = `stays-${process.pid}`
    const ended = await inside(`touch /tmp/${name}; ls /tmp; echo $TMPDIR`, folder, {}, { TMPDIR: '/elsewhere' })
    expect(ended.stdout).toContain(name)
    expect(ended.stdout).toContain('/tmp\n')
    expect(existsSync(`/tmp/${name}`)).toBe(false)
  })

  test('writes where it may, reads where it may, at their own paths', async () => {
    const [workspace, library, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    writeFileSync(join(library, 'text'), 'read me')
    writeFileSync(join(other, 'text'), secret)
    const ended = await inside(
      `cat ${library}/text; echo new > made; touch ${library}/no; cat ${other}/text; true`,
      workspace,
      { writable: [workspace], readable: [library] },
    )
    expect(ended.stdout).toBe('read me')
    expect(readdirSync(workspace)).toEqual(['made'])
    expect(readdirSync(library)).toEqual(['text'])
  })

  test('keeps a read-only folder read-only inside a writable one', async () => {
    const workspace = temporaryFolder()
    mkdirSync(join(workspace, 'fixed'))
    await inside('touch free fixed/no', workspace, { writable: [workspace], readable: [join(workspace, 'fixed')] })
    expect(readdirSync(workspace).toSorted()).toEqual(['fixed', 'free'])
    expect(readdirSync(join(workspace, 'fixed'))).toEqual([])
  })

  /** A workspace with a file that is read-only or hidden, and one beside it that is neither. */
  const guarded = (place: string) => {
    const workspace = temporaryFolder()
    const folder = join(workspace, place)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'fixed'), secret)
    writeFileSync(join(workspace, 'free'), 'free')
    return { workspace, folder, file: join(folder, 'fixed') }
  }
  /** Each is tried with FILE, the folder UP that it lies in, and TOP, the outermost folder below the workspace. */
  const replacements = [
    ['writing', 'echo x > FILE'],
    ['appending', 'echo x >> FILE'],
    ['cutting', 'truncate -s 0 FILE'],
    ['another mode', 'chmod 777 FILE'],
    ['removing', 'rm -rf FILE'],
    ['renaming', 'mv FILE FILE.old'],
    ['renaming something over it', 'mv -f free FILE'],
    ['exchanging', `python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"free", -100, b"FILE", 2)'`],
    ['a hard link', 'ln FILE hard && echo x > hard'],
    ['a link over it', 'ln -sf free FILE'],
    ['moving its folder away', 'mv UP away && mkdir -p UP && echo x > FILE'],
    ['moving the outermost folder away', 'mv TOP away && mkdir -p UP && echo x > FILE'],
    ['removing its folder', 'rm -rf TOP; mkdir -p UP && echo x > FILE'],
    ['unmounting', 'umount -l FILE; umount -l UP; echo x > FILE'],
  ] as const

  describe.each(['.', 'a/b'])('in a writable workspace, below "%s"', (place) => {
    const scriptFor = (script: string, file: string) =>
      script
        .replaceAll('FILE', file)
        .replaceAll('UP', place === '.' ? './' : place)
        .replaceAll('TOP', place === '.' ? './' : 'a')

    test.each(replacements)('a read-only file is not changed by %s', async (_, script) => {
      const { workspace, file } = guarded(place)
      const before = statSync(file)
      const ended = await inside(`${scriptFor(script, file)}; cat ${file}; echo x > free`, workspace, {
        writable: [workspace],
        readable: [file],
      })
      expect(ended.stdout).toBe(secret)
      expect(readFileSync(file, 'utf8')).toBe(secret)
      expect(statSync(file)).toMatchObject({ ino: before.ino, mode: before.mode, mtimeMs: before.mtimeMs })
    })

    test.each(replacements)('a hidden folder is neither seen nor changed by %s', async (_, script) => {
      const { workspace, folder } = guarded(join(place, 'hidden'))
      const ended = await inside(`${scriptFor(script, folder)}; find . -type f | xargs cat; echo x > new`, workspace, {
        writable: [workspace],
        hidden: [folder],
      })
      expect(ended.stdout).not.toContain(secret)
      expect(readdirSync(folder)).toEqual(['fixed'])
      expect(readFileSync(join(folder, 'fixed'), 'utf8')).toBe(secret)
      expect(readFileSync(join(workspace, 'new'), 'utf8')).toBe('x\n')
    })
  })

  test.each(['readable', 'hidden'] as const)('what is to be guarded as %s is refused behind a link', async (guard) => {
    const { workspace, folder } = guarded('a')
    const elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere, 'fixed'), secret)
    symlinkSync('a/fixed', join(workspace, 'relative'))
    symlinkSync(join(folder, 'fixed'), join(workspace, 'absolute'))
    symlinkSync(elsewhere, join(workspace, 'elsewhere'))
    for (const name of ['relative', 'absolute', 'elsewhere/fixed']) {
      const path = join(workspace, name)
      const refused = await run(['true'], 'full', {
        cwd: workspace,
        profile: { writable: [workspace], [guard]: [path] },
      })
      expect(refused).toMatchObject({ started: false, reason: 'confinement', message: expect.stringContaining(path) })
    }
  })

  test.each([
    ['relative', '../real'],
    ['absolute', 'WORKSPACE/real'],
    ['elsewhere', 'ELSEWHERE'],
  ])('a folder to read may be a link in the workspace: %s', async (_, target) => {
    const [workspace, elsewhere] = [temporaryFolder(), temporaryFolder()]
    for (const folder of ['real', 'skills']) mkdirSync(join(workspace, folder))
    const real = target === 'ELSEWHERE' ? elsewhere : join(workspace, 'real')
    writeFileSync(join(real, 'text'), 'text')
    const link = join(workspace, 'skills', 'link')
    symlinkSync(target.replace('WORKSPACE', workspace).replace('ELSEWHERE', elsewhere), link)
    for (const writable of [[], [workspace]]) {
      const profile = { writable, readable: [link, workspace].slice(0, 2 - writable.length) }
      const ended = await inside('cat skills/link/text; echo x > skills/link/text', workspace, profile)
      expect(ended.stdout).toBe('text')
      expect(readFileSync(join(real, 'text'), 'utf8')).toBe('text')
    }
  })

  test('a read-only folder stays so when something deep in it is hidden', async () => {
    const { workspace, folder } = guarded('fixed/a/hidden')
    const script = 'touch fixed/a/x fixed/x; mv fixed/a fixed/b; cat fixed/a/hidden/*'
    const profile = { writable: [workspace], readable: [join(workspace, 'fixed')], hidden: [folder] }
    const ended = await inside(script, workspace, profile)
    expect(ended.stdout).toBe('')
    expect(readdirSync(join(workspace, 'fixed'), { recursive: true })).toEqual(['a', 'a/hidden', 'a/hidden/fixed'])
  })

  test('a read-only file is so by every name of a workspace that is reached by a link', async () => {
    const { workspace, file } = guarded('a')
    const link = join(temporaryFolder(), 'link')
    symlinkSync(workspace, link)
    const script = `echo x > ${link}/a/fixed; echo x > ${file}; mv ${link}/a ${link}/b; cat ${link}/a/fixed`
    const ended = await inside(script, link, { writable: [link], readable: [file] })
    expect(ended.stdout).toBe(secret)
    expect(readFileSync(file, 'utf8')).toBe(secret)
  })

  test.each(['.env', '.env.local', '.envrc'])(
    '%s is hidden in the workspace and in the working directory',
    async (name) => {
      const workspace = temporaryFolder()
      const folder = join(workspace, 'part')
      mkdirSync(folder)
      writeFileSync(join(workspace, name), secret)
      writeFileSync(join(folder, name), secret)
      const script = `cat ../${name} ${name} $(pwd)/${name}; cp ../${name} copy; rm -f ${name}; mv ../${name} ../x; cat copy ../x`
      const ended = await inside(script, folder, { workspace, writable: [workspace] })
      expect(ended.stdout + ended.stderr).not.toContain(secret)
      expect(existsSync(join(workspace, name))).toBe(true)
      expect(existsSync(join(folder, name))).toBe(true)
    },
  )

  test('hides where the links of .env lead', async () => {
    const workspace = temporaryFolder()
    writeFileSync(join(workspace, 'real'), secret)
    symlinkSync('real', join(workspace, '.env'))
    const ended = await inside('cat .env real', workspace, { writable: [workspace] })
    expect(ended.stdout).toBe('')
  })

  test('hides secrets in a workspace that is reached by a link', async () => {
    const folder = temporaryFolder()
    const workspace = join(folder, 'real')
    const link = join(folder, 'link')
    mkdirSync(workspace)
    symlinkSync(workspace, link)
    writeFileSync(join(workspace, '.env'), secret)
    writeFileSync(join(workspace, 'text'), 'text')
    const ended = await inside(`pwd; cat text .env ${link}/.env ${workspace}/.env`, link, { writable: [link] })
    expect(ended.stdout).toBe(`${link}\ntext`)
  })

  test('runs in a working directory that is a link inside the workspace', async () => {
    const [workspace, elsewhere] = [temporaryFolder(), temporaryFolder()]
    symlinkSync(elsewhere, join(workspace, 'link'))
    writeFileSync(join(elsewhere, 'text'), 'text')
    const ended = await inside('cat text', join(workspace, 'link'), { workspace, writable: [workspace] })
    expect(ended.stdout).toBe('text')
  })

  test('hides the journal, which cannot be moved away or replaced', async () => {
    const workspace = temporaryFolder()
    const journal = join(workspace, '.legwork')
    mkdirSync(journal)
    writeFileSync(join(journal, 'legwork.db'), secret)
    const script = 'cat .legwork/*; mv .legwork x; rm -rf .legwork; cat x/* .legwork/*'
    const ended = await inside(script, workspace, { writable: [workspace], hidden: [journal] })
    expect(ended.stdout).not.toContain(secret)
    expect(existsSync(join(journal, 'legwork.db'))).toBe(true)
  })

  test('creates nothing on the disk by hiding what is not there', async () => {
    const workspace = temporaryFolder()
    await inside('true', workspace, {
      writable: [workspace],
      hidden: [join(workspace, '.legwork'), join(workspace, '.aws')],
    })
    expect(readdirSync(workspace)).toEqual([])
  })

  test('hides credentials and compiled code also when the home folder is the workspace', async () => {
    const home = temporaryFolder()
    for (const folder of ['.ssh', '.aws', '.config', '.cargo', '.cache/legwork']) {
      mkdirSync(join(home, folder), { recursive: true })
    }
    const files = [
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.config/token',
      '.netrc',
      '.npmrc',
      '.cargo/credentials.toml',
      '.cache/legwork/code',
    ]
    for (const file of files) writeFileSync(join(home, file), secret)
    writeFileSync(join(home, 'notes'), 'notes')
    const before = process.env.HOME
    process.env.HOME = home
    onTestFinished(() => {
      process.env.HOME = before
    })
    const ended = await inside(`cat notes ${files.join(' ')}; find . -type f | xargs cat`, home, { writable: [home] })
    expect(ended.stdout).toContain('notes')
    expect(ended.stdout).not.toContain(secret)
  })

  test('cannot put compiled code where the command would run it, before the command has ever run', async () => {
    const home = temporaryFolder()
    const before = process.env.HOME
    process.env.HOME = home
    onTestFinished(() => {
      process.env.HOME = before
    })
    const script = 'mkdir -p .cache/legwork; echo x > .cache/legwork/code; mv .cache other; mkdir -p .cache/legwork; ls'
    await inside(script, home, { writable: [home] })
    expect(readdirSync(join(home, '.cache/legwork'))).toEqual([])
    expect(statSync(join(home, '.cache/legwork')).mode & 0o777).toBe(0o700)
    expect(readdirSync(home)).toEqual(['.cache'])
  })

  test('refuses a workspace that is the whole disk', async () => {
    expect(await run(['true'], 'full', { profile: { writable: ['/'] } })).toMatchObject({
      started: false,
      reason: 'confinement',
    })
  })

  test("sees a program's own folder and the installation it belongs to", async () => {
    const folder = temporaryFolder()
    for (const name of ['bin', 'lib']) mkdirSync(join(folder, 'tool', name), { recursive: true })
    writeFileSync(join(folder, 'tool', 'lib', 'part'), 'part')
    writeFileSync(join(folder, 'tool', 'bin', 'run'), '#!/bin/sh\ncat "$(dirname "$0")/../lib/part"\n', { mode: 0o755 })
    symlinkSync('../tool/bin/run', join(folder, 'tool', 'link'))
    const ended = await report([join(folder, 'tool', 'bin', 'run')], 'full', { cwd: '/' })
    expect(ended).toMatchObject({ stdout: 'part', exitCode: 0 })
  })

  describe('of a program that lies directly in a folder of everything', () => {
    /** Places a program and a secret, and gives what the program saw of its folder and of the secret. */
    const seenFrom = async (folder: string, secretFolder = folder) => {
      const name = `run-test-${process.pid}-${Math.random().toString(36).slice(2)}`
      const [program, beside] = [join(folder, name), join(secretFolder, `${name}-secret`)]
      onTestFinished(() => {
        for (const path of [program, beside]) rmSync(path, { force: true })
      })
      writeFileSync(beside, secret)
      writeFileSync(program, `#!/bin/sh\ncat ${beside}; ls -A ${secretFolder}\n`, { mode: 0o755 })
      return (await report([program], 'full', { cwd: '/' })).stdout
    }
    const useHome = (home: string) => {
      const before = process.env.HOME
      process.env.HOME = home
      onTestFinished(() => {
        process.env.HOME = before
      })
    }

    test.each(['/tmp', '/var/tmp', '/dev/shm'].filter((folder) => existsSync(folder)))(
      '%s, it sees the file alone',
      async (folder) => {
        const seen = await seenFrom(folder)
        expect(seen).toContain(`run-test-${process.pid}`)
        expect(seen).not.toMatch(/secret|canary/)
      },
    )

    test('the home folder or above it, it sees the file alone', async () => {
      const folder = temporaryFolder()
      const home = join(folder, 'user')
      mkdirSync(home)
      useHome(home)
      expect(await seenFrom(home)).not.toMatch(/secret|canary/)
      expect(await seenFrom(folder)).not.toMatch(/secret|canary/)
    })

    test('the "bin" of such a folder, it sees that "bin" alone', async () => {
      useOwnTemporaryFolder()
      for (const name of ['bin', 'lib']) mkdirSync(join(tmpdir(), name))
      expect(await seenFrom(join(tmpdir(), 'bin'), tmpdir())).not.toMatch(/secret|canary/)
    })

    test.each(['/etc', '/', '/home', '/root'].flatMap(filesIn))('%s, it is bound alone', (file) => {
      expect(viewOf({}, '/', [file]).mounts.map(({ path }) => path)).toEqual([file])
    })
  })

  test.each(['#!FOLDER/bin/interpreter', '#!/usr/bin/env interpreter'])('sees what runs a script: %s', async (line) => {
    const [folder, scripts] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(folder, 'bin'))
    symlinkSync('/bin/sh', join(folder, 'bin', 'interpreter'))
    writeFileSync(join(scripts, 'script'), `${line.replace('FOLDER', folder)}\necho ran\n`, { mode: 0o755 })
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    expect(await report([join(scripts, 'script')], 'full', { env, cwd: '/' })).toMatchObject({ stdout: 'ran\n' })
  })

  test('has no network unless it is given, not even that of this machine', async () => {
    const server = createServer((_, response) => response.end('reached'))
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`
    const [without, given] = await Promise.all(
      [false, true].map((network) => report(['bash', '-c', script], 'full', { profile: { network } })),
    )
    expect(without?.stdout).toBe('')
    expect(given?.stdout).toContain('reached')
  })

  test('gets no descriptor but its three, whatever the host was started with', async () => {
    const script = 'for f in /proc/$$/fd/*; do [ "${f##*/}" -gt 2 ] && readlink "$f"; done'
    const ended = await report(['sh', '-c', script], 'full')
    expect(new Set(ended.stdout.split('\n').filter((target) => !['', '/dev/null'].includes(target)))).toEqual(new Set())
  })
})

describe.skipIf(withoutBubblewrap)('processes', () => {
  test('leaves files and permissions as they are', async () => {
    const folder = temporaryFolder()
    const ended = await report(
      ['sh', '-c', `touch made; cat /etc/passwd > /dev/null && grep CapEff /proc/self/status`],
      'processes',
      { cwd: folder },
    )
    const bare = await report(['grep', 'CapEff', '/proc/self/status'], 'off')
    expect(readdirSync(folder)).toEqual(['made'])
    expect(ended.stdout).toBe(bare.stdout)
  })

  test('sees no process but its own', async () => {
    const ended = await report(['sh', '-c', 'ls /proc | grep -c "^[0-9]"'], 'processes')
    expect(Number(ended.stdout)).toBeLessThan(8)
  })
})

/** One plain file that lies directly in a folder, if one can be seen. */
function filesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return files.slice(0, 1).map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}
