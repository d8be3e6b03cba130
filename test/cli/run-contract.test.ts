import { expect, onTestFinished, test, vi } from 'vitest'
import { type ContractHost, type RunContractOptions, runCompose, runContract } from '../../src/cli/run-contract.ts'
import * as door from '../../src/doors/contract.ts'

/** Runs a file as the verb does, with the words that were printed. */
async function run(
  how: typeof runCompose,
  [file, text]: readonly [string, string],
  options: RunContractOptions = {},
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      printed[stream] += String(chunk)
      return true
    })
    onTestFinished(() => spy.mockRestore())
  }
  const host: ContractHost = {
    workspace: import.meta.dirname,
    contract: (request, { caller: _, ...rest } = {}) =>
      'compose' in request ? door.runCompose(request, rest) : door.runScript(request, rest),
  }
  try {
    return { exitCode: await how(file, text, options, host, AbortSignal.timeout(20_000)), ...printed }
  } finally {
    vi.restoreAllMocks()
  }
}

const example = `
- call: lcod://tooling/script@1
  in:
    source: |
      async ({ input, api }) => {
        if (input.value > 2 && input.value < 7) {
          const echoed = await api.call('lcod://impl/echo@1', { value: input.value });
          return { success: true, result: echoed.val };
        }
        return { success: false, messages: ['value out of range'] };
      }
    bindings:
      input:
        path: $.value
  out:
    report: $
`

test('the example of the specification answers as it stands, and returns 5 with its binding renamed', async () => {
  const options = { input: '{"value": 5}', json: true }
  const asItStands = await run(runCompose, ['compose.yaml', example], options)
  expect(asItStands.exitCode).toBe(0)
  expect(JSON.parse(asItStands.stdout).value.report).toEqual({ success: false, messages: ['value out of range'] })
  const renamed = await run(runCompose, ['compose.yaml', example.replace('      input:\n', '      value:\n')], options)
  expect(JSON.parse(renamed.stdout).value.report).toEqual({ success: true, result: 5 })
})

test('a request in YAML, one in JSON and a function alone are scripts', async () => {
  const source = '({ state }) => state.a'
  const input = '{"a": 7}'
  expect((await run(runContract, ['x.yaml', `source: "${source}"\n`], { input })).stdout).toBe('7\n')
  expect((await run(runContract, ['x.json', JSON.stringify({ source })], { input })).stdout).toBe('7\n')
  expect((await run(runContract, ['x.js', `${source};\n`], { input })).stdout).toBe('7\n')
  expect((await run(runContract, ['-', source], { input })).stdout).toBe('7\n')
})

test.each([
  ['a throw', 'source: "() => { throw new Error(\'no\') }"', 1, /no/],
  ['a syntax error', 'source: "() => {"', 2, /not one JavaScript function/],
  ['no time', 'source: "(_, api) => { api.log(\'begun\'); for (;;); }"', 124, /begun\n.*100 ms/],
])('%s has its exit code and its words', async (_name, text, code, words) => {
  const { exitCode, stdout, stderr } = await run(runContract, ['x.yaml', text], { timeout: 100 })
  expect(exitCode).toBe(code)
  expect(stdout).toBe('')
  expect(stderr).toMatch(words)
})

test('what is no JSON and no YAML is said so', async () => {
  await expect(run(runCompose, ['x.yaml', '[]'], { input: '{' })).rejects.toThrow(/--input is not JSON/)
  await expect(run(runCompose, ['x.yaml', '{'])).rejects.toThrow(/x\.yaml/)
  await expect(run(runContract, ['x.yaml', 'source: "() => 1"\nbindings: {a: ['])).rejects.toThrow(
    /x\.yaml.*cannot be read/,
  )
  await expect(run(runContract, ['-', 'source: "() => 1"\nbindings: {a: ['])).rejects.toThrow(/cannot be read/)
  await expect(run(runCompose, ['x.yaml', 'steps: []'])).rejects.toThrow(/It has "steps", and neither "source" nor/)
  await expect(run(runCompose, ['x.yaml', 'source: "() => 1"'])).rejects.toThrow(/--as contract/)
  await expect(run(runContract, ['x.yaml', 'compose: []'])).rejects.toThrow(/--as compose/)
  expect((await run(runCompose, ['x.yaml', 'compose: 5'])).exitCode).toBe(2)
})

test.each([
  ['steps that get a number', runCompose, 'compose: []', { input: '5' }, 2, /input: The state of steps is an object/],
  ['a source that is a number', runContract, 'source: 5', {}, 2, /must be a string, but is the number 5/],
  [
    'a source that ends too early',
    runContract,
    'source: "() => {"',
    {},
    2,
    /the source ends too early \(line 1, column 8\)/,
  ],
  ['a module', runContract, 'source: "export default () => 1"', {}, 2, /Leave out "export default"/],
  [
    'a broken path',
    runContract,
    'source: "() => 1"\nbindings: {a: {path: "$.x["}}',
    {},
    2,
    /The path "\$\.x\[" is broken/,
  ],
  [
    'a path outside',
    runCompose,
    '- call: lcod://core/fs/read_file@1\n  in: {path: ../../x}',
    {},
    3,
    /outside the folder/,
  ],
] as const)('%s: the fault is said once, with its exit code', async (_name, how, text, options, code, words) => {
  const { exitCode, stderr } = await run(how, ['x.yaml', text], options)
  expect(exitCode).toBe(code)
  expect(stderr.match(new RegExp(words, 'g'))).toHaveLength(1)
})

test('JSON with a comma too many is read as YAML is', async () => {
  expect((await run(runContract, ['x.json', '{"source": "() => 1",}'])).stdout).toBe('1\n')
})
