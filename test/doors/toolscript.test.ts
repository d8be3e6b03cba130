import { expect, test } from 'vitest'
import { createToolscriptRunner } from '../../src/doors/toolscript.ts'
import { defineTool } from '../../src/index.ts'
import { withoutDeno } from '../support/toolscripts.ts'

const echo = defineTool({
  name: 'demo:echo',
  description: 'Says it back.',
  effects: { destructive: false },
  input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  run: ({ message }) => message,
})

test.skipIf(withoutDeno)('scripts run with tools that are given in code', async () => {
  await using runner = await createToolscriptRunner({ functions: [echo] })
  const head = 'import { tools } from "toolscript"\n'
  expect(await runner.types()).toContain('message: string')
  expect(await runner.run(`${head}return await tools.demo.echo({ message: "hi" })`)).toMatchObject({ value: 'hi' })
  expect(await runner.run(`${head}return await tools.demo.echo({ mesage: "hi" })`)).toMatchObject({
    code: 'invalid-input',
  })
  expect(await runner.dry(`${head}await tools.demo.echo({ message: "x" })`)).toMatchObject({
    ok: true,
    tools: [{ id: 'demo:echo' }],
  })
})
