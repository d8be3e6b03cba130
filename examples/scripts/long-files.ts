import { tools } from 'toolscript'

const files = ['north.csv', 'south.csv']
const counts = await Promise.all(
  files.map(async (file) => {
    const text = await tools.wc({ files: [file], lines: true })
    return { file, lines: Number.parseInt(String(text), 10) }
  }),
)
console.log(`counted ${counts.length} files`)
return counts.filter(({ lines }) => lines > 3)
