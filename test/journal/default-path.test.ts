import { expect, test } from 'vitest'
import { defaultJournalPath } from '../../src/journal/default-path.ts'

test.each([
  ['beside the configuration', { workspace: '/w', environment: { XDG_STATE_HOME: '/s' } }, '/w/.legwork/legwork.db'],
  ['in the state folder', { environment: { XDG_STATE_HOME: '/s' } }, '/s/legwork/legwork.db'],
  ['in the usual state folder', { environment: {} }, '/h/.local/state/legwork/legwork.db'],
  ['not in a relative one', { environment: { XDG_STATE_HOME: 'x' } }, '/h/.local/state/legwork/legwork.db'],
  ['not in an empty one', { environment: { XDG_STATE_HOME: '' } }, '/h/.local/state/legwork/legwork.db'],
])('the journal is kept %s', (_, options, path) => {
  expect(defaultJournalPath({ ...options, home: '/h' })).toBe(path)
})
