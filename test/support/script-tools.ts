// The functions that scripts in tests call.

import { defineTool } from '../../src/function/define-tool.ts'

export const harmless = { destructive: false, network: false, filesystem: { write: false } } as const

const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } as const

/** `demo:echo` gives its message back; the rest is told by its name. */
export const demoTools = [
  defineTool({
    name: 'demo:echo',
    description: 'Says it back',
    input: { ...message, additionalProperties: false },
    effects: harmless,
    run: ({ message: said }: { message?: unknown }) => ({ message: said }),
  }),
  defineTool({
    name: 'demo:fail',
    description: 'Fails',
    effects: harmless,
    run: () => {
      throw new Error('it broke')
    },
  }),
  defineTool({ name: 'demo:destroy', description: 'Destroys', effects: { destructive: true }, run: () => 'gone' }),
  defineTool({
    name: 'demo:wait',
    description: 'Waits 150 ms',
    effects: harmless,
    run: () => new Promise((done) => setTimeout(done, 150, 'waited')),
  }),
]
