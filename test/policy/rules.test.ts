import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/model/decision.ts'
import { type Effects, effectNames } from '../../src/model/effects.ts'
import { RuleError } from '../../src/model/errors.ts'
import { type Tool, toolKinds } from '../../src/model/tool.ts'
import { decide } from '../../src/policy/decide.ts'
import { makePolicy, unmatchedRules } from '../../src/policy/policy.ts'
import { caller, makePlan, makeProgram, makeTool } from './make-tool.ts'

const destructive: Effects = { destructive: true }

/** Whether a deny rule hits, an ask rule hits, and an allow rule answers the question that a destructive tool raises. */
function matches(pattern: string, tool: Tool, plan?: Plan) {
  const dangerous = { ...tool, effects: { ...tool.effects, ...destructive } }
  return {
    deny: decide(makePolicy({ deny: [pattern] }), tool, plan, caller).verdict === 'deny',
    ask: decide(makePolicy({ ask: [pattern] }), tool, plan, caller).verdict === 'ask',
    allow: decide(makePolicy({ allow: [pattern] }), dangerous, plan, caller).verdict === 'allow',
  }
}

const all = { deny: true, ask: true, allow: true }
const none = { deny: false, ask: false, allow: false }
const onlyCareful = { deny: true, ask: true, allow: false }

describe('a name is compared with every spelling of the tool', () => {
  const issue = makeTool('github:create_issue', { kind: 'mcp' })
  const pr = makeProgram('gh pr create')
  const skill = makeTool('pdf-extractor:extract', { kind: 'skill' })
  test.each<[string, Tool, object]>([
    ['github:*', issue, all],
    ['github:createIssue', issue, all],
    ['github.createIssue', issue, all],
    ['tools.github.createIssue', issue, all],
    ['tools.github.*', issue, all],
    ['github__create_issue', issue, all],
    ['github__*', issue, all],
    ['github--createIssue', issue, all],
    ['  github:createIssue ', issue, all],
    ['*', issue, all],
    ['GitHub:*', issue, none],
    ['github', issue, none],
    ['github:create', issue, none],
    ['gh:pr*', pr, all],
    ['gh:prCreate', pr, all],
    ['gh_pr_create', pr, all],
    ['gh:pr', pr, none],
    ['pdf-extractor.extract', skill, all],
    ['pdfExtractor:*', skill, all],
    ['tree', makeProgram('tree'), all],
    ['tre*', makeProgram('tree'), all],
  ])('%j', (pattern, tool, expected) => {
    expect(matches(pattern, tool)).toEqual(expected)
  })

  test('an alias counts in full everywhere, and under a star only for deny and ask', () => {
    const titled = makeTool('custom:evil', { kind: 'document' }, ['git:status'])
    expect(matches('git:status', titled)).toEqual(all)
    expect(matches('git:*', titled)).toEqual(onlyCareful)
    expect(matches('custom:*', titled)).toEqual(all)
  })
})

describe('a kind is compared with the kind of the tool', () => {
  test.each(toolKinds)('kind:%s', (kind) => {
    expect(matches(`kind:${kind}`, makeTool('demo:echo', { kind }))).toEqual(all)
    expect(matches(`kind:${kind}`, makeTool('demo:echo', { kind: kind === 'mcp' ? 'skill' : 'mcp' }))).toEqual(none)
  })
})

describe('an effect is compared with what the tool and the input declare', () => {
  const having: Record<(typeof effectNames)[number], Effects> = {
    destructive: { destructive: true },
    irreversible: { destructive: false, reversible: false },
    network: { destructive: false, network: true },
    write: { destructive: false, filesystem: { write: true } },
    delete: { destructive: false, filesystem: { delete: true } },
    subprocess: { destructive: false, subprocess: true },
    billable: { destructive: false, cost: { billable: true } },
    unknown: {},
  }
  test.each(effectNames)('effect:%s', (name) => {
    const policy = makePolicy({ allowDestructive: true, deny: [`effect:${name}`] })
    const verdict = (effects: Effects, plan?: Plan) =>
      decide(policy, makeTool('demo:echo', { effects }), plan, caller).verdict
    expect(verdict(having[name])).toBe('deny')
    expect(verdict({ destructive: false })).toBe('allow')
    if (name !== 'unknown') expect(verdict({ destructive: false }, { effects: having[name] })).toBe('deny')
  })

  test('an effect that nobody mentions is not there for a rule; settings are the wall', () => {
    const policy = makePolicy({ deny: ['effect:network'] })
    expect(decide(policy, makeTool(), undefined, caller).verdict).toBe('allow')
  })
})

describe('Bash(...) is compared with the command line, whichever tool makes it', () => {
  const git = makeProgram('git diff')
  test.each<[string, string, object]>([
    ['Bash(git diff:*)', 'git diff', all],
    ['Bash(git diff:*)', 'git diff HEAD~1 -- a b', all],
    ['Bash(git diff :*)', 'git diff HEAD', all],
    ['Bash( git  diff:* )', 'git diff HEAD', all],
    ['Bash(git diff:*)', 'git difftool', none],
    ['Bash(git diff:*)', 'git', none],
    ['Bash(git diff:*)', 'git log diff', none],
    ['Bash(git:*)', 'git push', all],
    ['Bash(git:*)', 'gitk', none],
    ['Bash(git status)', 'git status', all],
    ['Bash(git status)', 'git status --short', none],
    ['Bash(git diff:*)', '/usr/bin/git diff', all],
    ['Bash(/usr/bin/git diff:*)', '/usr/bin/git diff', all],
    ['Bash(/usr/bin/git diff:*)', 'git diff', onlyCareful],
    ['Bash(*/git diff:*)', '/usr/bin/git diff', all],
    ['Bash(/opt/*)', 'git diff', none],
    ['Bash(C:\\tools\\git.exe diff:*)', 'git.exe diff', onlyCareful],
    ['Bash(npm run test *)', 'npm run test', all],
    ['Bash(npm run test *)', 'npm run test --watch a', all],
    ['Bash(npm run test *)', 'npm run tests', none],
    ['Bash(npm run test-*)', 'npm run test-unit', all],
    ['Bash(npm run test-*)', 'npm run test-unit --evil', onlyCareful],
    ['Bash(npm run test:*)', 'npm run test:unit', onlyCareful],
    ['Bash(git push*)', 'git push origin main', onlyCareful],
    ['Bash(git * --dry-run)', 'git push origin --dry-run', all],
    ['Bash(git * --dry-run)', 'git --dry-run', all],
    ['Bash(git * --dry-run)', 'git push --dry-run origin', none],
    ['Bash(git * a * b)', 'git a a c a b', all],
    ['Bash(git * *)', 'git', all],
    ['Bash(* --force:*)', 'git push --force origin', all],
    ['Bash(echo (a))', 'echo (a)', all],
    ['Bash', 'git push', all],
    ['Bash(*)', 'git push', all],
    ['Bash( * )', 'git push', all],
    ['Bash(Git:*)', 'git push', none],
  ])('%j on %j', (pattern, argv, expected) => {
    expect(matches(pattern, git, makePlan(argv))).toEqual(expected)
  })

  test('any kind of tool that plans a command is matched', () => {
    const plan = makePlan('git push')
    for (const kind of toolKinds) expect(matches('Bash(git push:*)', makeTool('demo:x', { kind }), plan)).toEqual(all)
  })

  test('what starts processes is matched by Bash even without a plan, but never allowed by it', () => {
    expect(matches('Bash', makeProgram('git push'))).toEqual(onlyCareful)
    expect(matches('Bash', makeTool('pdf:extract', { kind: 'skill' }))).toEqual(onlyCareful)
    expect(matches('Bash', makeTool('demo:spawn', { effects: { subprocess: true } }))).toEqual(onlyCareful)
    expect(matches('Bash', makeTool(), { effects: { subprocess: true } })).toEqual(onlyCareful)
    expect(matches('Bash', makeTool())).toEqual(none)
    expect(matches('Bash', makeTool(), {})).toEqual(none)
    expect(matches('Bash(git:*)', makeProgram('git push'))).toEqual(none)
    expect(matches('Bash(git:*)', makeProgram('git push'), { argv: [], command: [] })).toEqual(none)
  })
})

describe('attacks on an allow rule find nothing to slip into', () => {
  const policy = makePolicy({ allow: ['Bash(git diff:*)', 'Bash(git status)', 'Bash(npm run test *)', 'git:*'] })
  const skill = makeTool('evil:run', { kind: 'skill', effects: destructive })
  test.each<[string, Plan]>([
    [
      'a global option before the command',
      { argv: ['git', '-c', 'core.pager=evil', 'diff'], command: ['git', 'diff'] },
    ],
    ['only the plain form looks right', { argv: ['evil'], command: ['git', 'diff'] }],
    ['no command line but a plain form', { command: ['git', 'diff'] }],
    ['words in one argument', { argv: ['git diff'] }],
    ['words in the last argument', { argv: ['git', 'status x'] }],
    ['a longer word', { argv: ['git', 'difftool'] }],
    ['a script that is called git', { argv: ['/skills/evil/scripts/git', 'diff'] }],
    ['a script in the working directory', { argv: ['./git', 'diff'] }],
    ['another letter case', { argv: ['GIT', 'diff'] }],
    ['a look-alike letter', { argv: ['gіt', 'diff'] }],
    ['a line break inside', { argv: ['git\ndiff'] }],
    ['an argument in front', { argv: ['env', 'git', 'diff'] }],
    ['an empty word in front', { argv: ['', 'git', 'diff'] }],
    ['the words as one of many', { argv: ['npm', 'run', 'evil', 'npm run test x'] }],
  ])('%s', (_name, plan) => {
    expect(decide(policy, skill, plan, caller).verdict).toBe('ask')
  })

  test('a tool whose title imitates an allowed one is still asked about', () => {
    const titled = makeTool('custom:evil', { kind: 'document', effects: destructive }, ['git:status', 'git:x'])
    expect(decide(policy, titled, undefined, caller).verdict).toBe('ask')
  })

  test('one effect more does not answer the question about another', () => {
    const lenient = makePolicy({ allow: ['effect:network', 'effect:write', 'effect:unknown'] })
    const effects = { destructive: true, network: true, filesystem: { write: true } }
    expect(decide(lenient, makeTool('demo:wipe', { effects }), undefined, caller).verdict).toBe('ask')
  })
})

describe('attacks on a deny rule do not get past it', () => {
  const policy = makePolicy({ deny: ['Bash(git push:*)', 'Bash(rm -rf /*)'] })
  test.each<[string, Plan]>([
    ['a global option before the command', { argv: ['git', '-C', '/x', 'push'], command: ['git', 'push'] }],
    ['another folder', { argv: ['/opt/git/bin/git', 'push'] }],
    ['a folder that goes up', { argv: ['../../usr/bin/git', 'push'] }],
    ['a folder with a line break', { argv: ['/x\ny/git', 'push'] }],
    ['a folder with a star', { argv: ['/x*/git', 'push'] }],
    ['a Windows folder', { argv: ['C:\\git\\git', 'push'] }],
    ['words in one argument', { argv: ['git push'] }],
    ['words in one argument, with more', { argv: ['git', 'push origin'] }],
    ['more arguments than the rule has', { argv: ['rm', '-rf', '/', '--no-preserve-root'] }],
    ['a harmless command line beside the real one', { argv: ['git', 'push'], command: ['git', 'status'] }],
  ])('%s', (_name, plan) => {
    expect(decide(policy, makeTool('any:tool', { kind: 'skill' }), plan, caller).verdict).toBe('deny')
  })

  test('a command line of a hundred thousand words and a rule full of stars end at once', () => {
    const stars = makePolicy({ deny: [`Bash(${'a* '.repeat(30)}b)`, `Bash(${'* a '.repeat(30)}b)`] })
    const argv = Array.from({ length: 100_000 }, () => 'a')
    expect(decide(stars, makeTool(), { argv }, caller).verdict).toBe('allow')
  })
})

describe('a rule that cannot mean anything is refused with what to write', () => {
  test.each([
    ['', 'is empty. Write a rule such as "github:*"'],
    ['   ', 'is empty'],
    ['effect:destructve', 'Did you mean "effect:destructive"?'],
    ['effect:', 'Write one of effect:destructive, effect:irreversible'],
    ['effect:*', 'names nothing that exists'],
    ['kind:skills', 'Did you mean "kind:skill"?'],
    ['kind:', 'Write one of kind:function, kind:program'],
    ['Bash(', 'brackets that are not those of "Bash(...)"'],
    ['Bash(git push', 'brackets that are not those'],
    ['Bash git push)', 'brackets that are not those'],
    ['bash(git push:*)', 'brackets that are not those'],
    ['Read(./secrets)', 'brackets that are not those'],
    ['Bash()', 'names no command. Write "Bash(*)"'],
    ['Bash( )', 'names no command'],
    ['Bash(:*)', 'names no command'],
    ['Bash(a)(b)', 'brackets that do not close'],
    ['Bash(a (b)', 'brackets that do not close'],
    ['Bash(git commit -m "x y":*)', 'has quotes'],
    ["Bash(git commit -m 'x')", 'has quotes'],
  ])('%j', (pattern, message) => {
    for (const list of ['allow', 'ask', 'deny'] as const) {
      const make = () => makePolicy({ [list]: [pattern] })
      expect(make).toThrow(RuleError)
      expect(make).toThrow(`The rule ${list} "${pattern.trim()}" `)
      expect(make).toThrow(message)
      expect(make).toThrow(expect.objectContaining({ code: 'invalid-rule', rule: pattern.trim() }))
    }
  })
})

describe('rules that match no tool', () => {
  const unmatched = (patterns: string[], tools: Tool[]) =>
    unmatchedRules(makePolicy({ deny: patterns }), tools).map(({ pattern }) => pattern)

  test('are those whose name or kind no tool has', () => {
    const patterns = ['demo:*', 'dmeo:*', 'kind:function', 'kind:skill']
    expect(unmatched(patterns, [makeTool()])).toEqual(['dmeo:*', 'kind:skill'])
  })

  test('are told with what they say and where they stand', () => {
    const where = { file: 'legwork.jsonc', line: 3, column: 5, frame: '' }
    const policy = makePolicy({ deny: ['demo:*'], ask: ['x:*'], allow: [{ pattern: 'y:*', where }] })
    expect(unmatchedRules(policy, new Set([makeTool()]))).toMatchObject([
      { verdict: 'ask', pattern: 'x:*' },
      { verdict: 'allow', pattern: 'y:*', where },
    ])
  })

  test('are never rules about effects, which an input may bring', () => {
    expect(unmatched(['effect:billable'], [])).toEqual([])
  })

  test('are rules about commands only where nothing could start one', () => {
    const planning = makeTool('demo:plan', { plan: () => ({ ok: true, plan: {} }) })
    expect(unmatched(['Bash(git:*)'], [makeTool()])).toEqual(['Bash(git:*)'])
    expect(unmatched(['Bash(git:*)'], [makeTool(), makeProgram('git push')])).toEqual([])
    expect(unmatched(['Bash(git:*)'], [makeTool('a:b', { kind: 'skill' }), makeTool()])).toEqual([])
    expect(unmatched(['Bash(git:*)'], [planning])).toEqual([])
  })
})
