import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SkillManager, SkillNotFoundError } from '../../src/doors/skill.ts'
import { makeSkill, openManager } from '../support/skill.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('skills are listed with their metadata, and none of their scripts is opened', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1' }, { head: 'version: 2.0.0\nlicense: MIT\nallowed-tools: Bash' })
  const manager = openManager(skill)
  expect(await manager.discover()).toEqual([
    {
      name: 'pdf-extractor',
      description: 'Does things',
      base_dir: skill.base,
      version: '2.0.0',
      allowed_tools: ['Bash'],
      license: 'MIT',
      metadata: {},
      has_prompt: true,
      warnings: [],
    },
  ])
})

test('an unknown skill is an error that names the nearest', async () => {
  const manager = openManager(makeSkill({}))
  const run = manager.executeSkillScript('pdf-extracter', 'a')
  await expect(run).rejects.toThrow(SkillNotFoundError)
  await expect(run).rejects.toThrow('Did you mean "pdf-extractor"?')
})

test('the usual places of the workspace are looked through when no folder is named', async () => {
  const workspace = temporaryFolder()
  makeSkill({ 'a.sh': 'echo here' }, { name: 'mine', root: join(workspace, '.agents/skills') })
  const manager = new SkillManager({ workspace })
  expect(manager.listSkills().map(({ name }) => name)).toContain('mine')
  expect((await manager.executeSkillScript('mine', 'a')).stdout).toBe('here\n')
  await manager.close()
})

test('the skills of a manager are its owner’s own: no question is asked, but the policy holds', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1' })
  expect((await openManager(skill).executeSkillScript('pdf-extractor', 'a')).exit_code).toBe(0)
  const strict = openManager(skill, { policy: { deny: ['kind:skill'] } })
  await expect(strict.executeSkillScript('pdf-extractor', 'a')).rejects.toMatchObject({ code: 'policy-violation' })
  const asking = openManager(skill, { policy: { ask: ['kind:skill'] } })
  await expect(asking.executeSkillScript('pdf-extractor', 'a')).rejects.toMatchObject({ code: 'confirmation-required' })
  const approved = openManager(skill, { policy: { ask: ['kind:skill'] }, approve: () => true })
  expect((await approved.executeSkillScript('pdf-extractor', 'a')).exit_code).toBe(0)
})

test('refresh sees a new head, new scripts, and that a skill is gone', async () => {
  const skill = makeSkill({ 'a.sh': 'echo 1' })
  const manager = openManager(skill)
  await manager.invokeSkill('pdf-extractor')
  writeFileSync(join(skill.base, 'b.sh'), 'echo 2')
  writeFileSync(join(skill.base, 'SKILL.md'), '---\nname: pdf-extractor\ndescription: New\n---\nNew body')
  await manager.refresh('pdf-extractor')
  expect(manager.listSkills()[0]?.description).toBe('New')
  expect(await manager.invokeSkill('pdf-extractor')).toContain('New body')
  expect((await manager.executeSkillScript('pdf-extractor', 'b')).stdout).toBe('2\n')
  rmSync(skill.base, { recursive: true })
  await manager.refresh()
  expect(manager.listSkills()).toEqual([])
  expect(manager.warnings).toHaveLength(1)
})

test('a run ends with its signal', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'echo begun; sleep 30' }))
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 300)
  const result = await manager.executeSkillScript('pdf-extractor', 'a', {}, { signal: controller.signal })
  expect(result).toMatchObject({ signal: 'SIGTERM', exit_code: -15, stdout: 'begun\n' })
})

test('a closed manager runs nothing', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'echo 1' }))
  await manager.close()
  await expect(manager.executeSkillScript('pdf-extractor', 'a')).rejects.toMatchObject({ code: 'closed' })
})

test('secrets of the environment are redacted in the result and in the journal', async () => {
  const secret = 'tiger-lily-4417-zz'
  const manager = openManager(makeSkill({ 'a.sh': 'echo "$API_KEY"' }), { env: { API_KEY: secret } })
  const { stdout } = await manager.executeSkillScript('pdf-extractor', 'a', { also: secret })
  expect(stdout).not.toContain(secret)
  expect(JSON.stringify(manager.journal.read())).not.toContain(secret)
})

test('300 MB of output are counted and dropped', async () => {
  const manager = openManager(makeSkill({ 'a.sh': 'yes | head -c 300000000' }))
  const result = await manager.executeSkillScript('pdf-extractor', 'a')
  expect(result).toMatchObject({ exit_code: 0, stdout_truncated: true })
  expect(result.stdout).toHaveLength(10_485_760)
})
