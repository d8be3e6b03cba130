import fc from 'fast-check'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../src/run/environment.ts'
import { kinds, report } from '../fixtures/run/support.ts'

test('only the allowed names pass, and what the owner adds', () => {
  const source = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    TZ: 'UTC',
    AWS_SECRET: 's',
    LD_PRELOAD: 'x',
    NODE_OPTIONS: 'y',
  }
  expect(childEnvironment(source, { GH_TOKEN: 't', PATH: '/mine' })).toEqual({
    PATH: '/mine',
    HOME: '/h',
    LC_ALL: 'C',
    TZ: 'UTC',
    GH_TOKEN: 't',
    SHLVL: '1',
  })
})

test('no other name ever passes', () => {
  const names = /^(PATH|HOME|TMPDIR|TZ|TERM|LANG|LC_[A-Z]+|SystemRoot|ComSpec|PATHEXT|TEMP|SHLVL)$/
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (source) => {
      expect(Object.keys(childEnvironment(source)).every((name) => names.test(name))).toBe(true)
    }),
  )
})

test.each(kinds)("a child sees nothing else of the host's, with confine: %s", async (confine) => {
  process.env.CANARY_SECRET = 'canary'
  const ended = await report(['env'], confine, { env: { GIVEN: 'yes' } })
  delete process.env.CANARY_SECRET
  expect(ended.stdout).toContain('GIVEN=yes')
  expect(ended.stdout).not.toContain('canary')
})
