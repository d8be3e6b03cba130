import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wildcard } from '../../src/policy/wildcard.ts'

describe('a star stands for any characters', () => {
  test.each([
    ['github:*', 'github:createIssue', true],
    ['github:*', 'github:', true],
    ['github:*', 'github', false],
    ['github:*', 'gitlab:createIssue', false],
    ['gh:pr*', 'gh:prCreate', true],
    ['gh:pr*', 'gh:issueCreate', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['**', 'anything', true],
    ['*:delete*', 'github:deleteRepo', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'acb', false],
    ['a*bc*bc', 'abc', false],
    ['ab*ba', 'aba', false],
    ['a*b*', 'ac', false],
    ['demo:echo', 'demo:echo', true],
    ['demo:echo', 'demo:echoes', false],
    ['Demo:echo', 'demo:echo', false],
    ['a.c', 'abc', false],
    ['a+', 'aa', false],
    ['[ab]', 'a', false],
    ['a\\*', 'a\\x', true],
    ['*.txt', 'line\nbreak.txt', true],
  ])('%j on %j is %s', (pattern, text, matches) => {
    expect(wildcard(pattern)(text)).toBe(matches)
  })

  test('it agrees with the regular expression that it replaces', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
    fc.assert(
      fc.property(letters, text, (pattern, given) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(given)
        expect(wildcard(pattern)(given)).toBe(expected)
      }),
    )
  })

  test('many stars on a long text that almost matches end at once', () => {
    const text = 'a'.repeat(1_000_000)
    expect(wildcard(`${'a*'.repeat(200)}b`)(text)).toBe(false)
    expect(wildcard(`*${'a*'.repeat(200)}b*`)(text)).toBe(false)
    expect(wildcard(`${'a*'.repeat(200)}`)(text)).toBe(true)
  })
})
