// A toolscript: it calls an MCP server, a program, a skill's script and a function, in one file.
import { tools } from 'toolscript'

const file = 'prices.csv'
const [listing, lines, sum] = await Promise.all([
  tools.files.listDirectory({ path: '.' }),
  tools.wc({ files: [file], lines: true }),
  tools.tableSums.sum({ file, column: 'price' }),
])
const greeting = await tools.demo.echo({ message: `good morning, ${listing.content.split('\n').length} files` })
console.log('four calls, one answer')
return { greeting, lines, sum }
