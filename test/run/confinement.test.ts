import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { confinementAvailable } from '../../src/run/confinement.ts'
import type { ConfinementProfile } from '../../src/run/profile.ts'
import { report, run, temporaryFolder, withoutBubblewrap } from '../fixtures/run/support.ts'

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
    ['the kernel', 'echo 1 > /proc/sys/kernel/sysrq'],
    ['another root', 'chroot /usr /bin/true'],
  ])('cannot change %s', async (_, script) => {
    expect((await inside(script, temporaryFolder())).exitCode).not.toBe(0)
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

  test('hides credentials also when the home folder is the workspace', async () => {
    const home = temporaryFolder()
    for (const folder of ['.ssh', '.aws', '.config', '.cargo']) mkdirSync(join(home, folder))
    const files = [
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.config/token',
      '.netrc',
      '.npmrc',
      '.cargo/credentials.toml',
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
