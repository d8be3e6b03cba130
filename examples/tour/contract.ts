// A contract script: a JavaScript function that sees its bindings and nothing else, and calls tools by their names.

export const contract = {
  source: `async ({ input }, api) => {
    const sum = await api.call('tableSums:sum', { file: input.file, column: input.column })
    const lines = await api.call('wc', { files: [input.file], lines: true })
    api.log('two tools called')
    return { sum, lines }
  }`,
  input: { file: 'prices.csv', column: 'price' },
  bindings: { file: { path: '$.file' }, column: { path: '$.column' } },
}
