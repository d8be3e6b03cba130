import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { PathSecurityError } from '../../src/doors/skill.ts'
import { resolveScript } from '../../src/skill/resolve-script.ts'
import { watchStart } from '../../src/skill/start-watch.ts'
import { makeSkill, openManager } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each([
  ['link', 'off', 300],
  ['file', 'off', 100],
  ['file', 'auto', 100],
] as const)('a %s that is exchanged between check and run never wins (%s, %d races)', async (how, confine, races) => {
  const skill = makeSkill({ 'good.sh': 'echo good' })
  // In the workspace, so that even a script that is shut in could see it.
  const workspace = temporaryFolder()
  const evil = join(workspace, 'evil.sh')
  writeFileSync(evil, 'echo evil')
  const script = join(skill.base, 'script.sh')
  symlinkSync('good.sh', script)
  const workerData = { script, good: 'good.sh', evil, how }
  const worker = new Worker(new URL('../fixtures/skill/swap.ts', import.meta.url), { workerData })
  const manager = openManager(skill, { workspace, confine })
  const came = new Set<string>()
  try {
    for (let race = 0; race < races; race++) {
      const end = await manager.executeSkillScript('pdf-extractor', 'script.sh').then(
        ({ stdout }) => stdout.trim(),
        (error: Error) => error.name,
      )
      came.add(end)
    }
  } finally {
    await worker.terminate()
  }
  const harmless = new Set(['good', 'PathSecurityError', 'ScriptPermissionError', 'ScriptNotFoundError'])
  expect([...came.difference(harmless)]).toEqual([])
})

test('what is run is where the link led when it was checked', () => {
  const { base } = makeSkill({ 'good.sh': 'echo good' })
  symlinkSync('good.sh', join(base, 'link.sh'))
  expect(resolveScript({ name: 's', base, realBase: base }, 'link.sh')).toEqual({
    ok: true,
    path: join(base, 'good.sh'),
  })
})

const rest = () => new Promise((resolve) => setTimeout(resolve, 30))

test('a file that is exchanged and put back is noticed; files that come and go beside it are not', async () => {
  const { base } = makeSkill({ 'scripts/a.sh': 'echo a' })
  const script = join(base, 'scripts/a.sh')
  await rest()
  const { signal } = new AbortController()
  const quiet = watchStart(base, script, signal)
  writeFileSync(join(base, 'scripts/other'), '')
  rmSync(join(base, 'scripts/other'))
  expect(quiet.stop()).toBe(false)

  const swapped = watchStart(base, script, signal)
  renameSync(script, `${script}.kept`)
  symlinkSync('/etc/passwd', script)
  rmSync(script)
  renameSync(`${script}.kept`, script)
  expect(swapped.stop()).toBe(true)

  await rest()
  const folder = watchStart(base, script, signal)
  renameSync(join(base, 'scripts'), join(base, 'kept'))
  renameSync(join(base, 'kept'), join(base, 'scripts'))
  expect(folder.stop()).toBe(true)
})

test('a script that is exchanged while it starts is ended, and nothing of it is passed on', async () => {
  const skill = makeSkill({ 'a.sh': 'echo begun; sleep 20' })
  const manager = openManager(skill)
  await rest()
  const run = manager.executeSkillScript('pdf-extractor', 'a')
  setTimeout(() => {
    rmSync(join(skill.base, 'a.sh'))
    symlinkSync('/etc/passwd', join(skill.base, 'a.sh'))
  }, 300)
  const started = performance.now()
  await expect(run).rejects.toThrow(PathSecurityError)
  expect(performance.now() - started).toBeLessThan(5_000)
})
