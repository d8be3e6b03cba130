import { defineTool } from 'legwork'

export const list = defineTool({
  name: 'notes:list',
  description: 'Lists the notes',
  effects: { destructive: false, network: false, filesystem: { write: false } },
  run: () => ['draft', 'thesis'],
})

export const remove = defineTool({
  name: 'notes:delete',
  description: 'Deletes a note',
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  effects: { destructive: true, reversible: false },
  run: ({ name }) => `${name} is gone`,
})

export const print = defineTool({
  name: 'notes:print',
  description: 'Has a note printed and posted',
  effects: { destructive: false, cost: { billable: true } },
  run: () => 'on its way',
})
