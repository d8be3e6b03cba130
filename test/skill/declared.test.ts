import { expect, test } from 'vitest'
import { declaredArguments, declaredSchema, strictDeclaredSchema } from '../../src/skill/declared.ts'
import { languageOf } from '../../src/skill/languages.ts'

function declared(path: string, text: string) {
  const language = languageOf(path.replace(/^.*(?=\.)/, ''))
  return language && declaredArguments(text, language, path)
}

test('argparse: positionals, options, switches, lists, choices', () => {
  const found = declared(
    'scripts/x.py',
    `import argparse
parser = argparse.ArgumentParser(description="x (y)")
parser.add_argument("input", type=Path, help="The file, (really)")
parser.add_argument("rest", nargs="*")
parser.add_argument(
    "-o", "--output-dir",  # where
    required=True,
    help="Where "
         "to write",
)
parser.add_argument("--count", type=int, default=3)
parser.add_argument("--mode", choices=["fast", 'slow'])
parser.add_argument("-v", "--verbose", action="store_true")
`,
  )
  expect(found).toEqual([
    { name: 'input', type: 'string', isList: false, isRequired: true, isPath: true, description: 'The file, (really)' },
    { name: 'rest', type: 'string', isList: true, isRequired: false, isPath: false, description: '' },
    {
      name: 'output_dir',
      flag: '--output-dir',
      type: 'string',
      isList: false,
      isRequired: true,
      isPath: true,
      description: 'Where to write',
    },
    {
      name: 'count',
      flag: '--count',
      type: 'integer',
      isList: false,
      isRequired: false,
      isPath: false,
      description: '',
    },
    {
      name: 'mode',
      flag: '--mode',
      type: 'string',
      isList: false,
      isRequired: false,
      isPath: false,
      choices: ['fast', 'slow'],
      description: '',
    },
    {
      name: 'verbose',
      flag: '--verbose',
      type: 'boolean',
      isList: false,
      isRequired: false,
      isPath: false,
      description: '',
    },
  ])
})

test('click: arguments and options', () => {
  const found = declared(
    'x.py',
    `import click
@click.command()
@click.argument('src', type=click.Path(exists=True))
@click.option('--format', '-f', type=click.Choice(['json', 'csv']), help='How')
@click.option('--shout/--no-shout', default=False)
@click.option('--tag', multiple=True)
@click.option('--size', type=float, required=True)
def main(src): pass
`,
  )
  expect(found?.map(({ name, flag, type, isList, isRequired }) => [name, flag, type, isList, isRequired])).toEqual([
    ['src', undefined, 'string', false, true],
    ['format', '--format', 'string', false, false],
    ['shout', '--shout', 'boolean', false, false],
    ['tag', '--tag', 'string', true, false],
    ['size', '--size', 'number', false, true],
  ])
})

test('commander: arguments and options', () => {
  const found = declared(
    'x.mjs',
    `import { program } from 'commander'
program
  .argument('<file>', 'what to read')
  .argument('[more...]', 'and more')
  .option('-d, --dry-run', 'only say')
  .requiredOption('-o, --out-file <path>', 'where')
  .parse()
`,
  )
  expect(found?.map(({ name, flag, type, isList, isRequired }) => [name, flag, type, isList, isRequired])).toEqual([
    ['file', undefined, 'string', false, true],
    ['more', undefined, 'string', true, false],
    ['dryRun', '--dry-run', 'boolean', false, false],
    ['outFile', '--out-file', 'string', false, true],
  ])
})

test.each([
  ['# Converts.\n# Usage: convert.sh <input> [output] [--format FORMAT] [-v]', ['input!', 'output', 'format', 'v']],
  ['# Usage: bash scripts/convert.sh INPUT OUTPUT', ['input!', 'output!']],
  ['# usage:\n#   ./convert.sh --from A <files>...', ['from!', 'files!']],
  ['# Usage: convert.sh [options] <input-file>', ['input_file!']],
  ['# Usage: $0 <a> <b>', ['a!', 'b!']],
])('a usage line %j declares %j', (comment, names) => {
  const found = declared('scripts/convert.sh', `${comment}\necho "$1"`)
  expect(found?.map(({ name, isRequired }) => (isRequired ? `${name}!` : name))).toEqual(names)
})

test.each([
  ['subcommands of argparse', 'x.py', 'p.add_subparsers()\np.add_argument("a")'],
  ['a computed name', 'x.py', 'p.add_argument(name)'],
  ['a click group', 'x.py', 'import click\n@click.group()\ndef a(): pass\n@click.option("--b")'],
  ['a name twice', 'x.py', 'p.add_argument("a")\nq.add_argument("a")'],
  ['a choice in a usage line', 'x.sh', '# Usage: x.sh {start|stop}\n'],
  ['a subcommand in a usage line', 'x.sh', '# Usage: x.sh build <target>\n'],
  ['another program in a usage line', 'x.sh', '# Usage: y.sh <target>\n'],
  ['no word about arguments', 'x.sh', '# Just runs\n'],
  ['a call that does not close', 'x.py', 'p.add_argument("a", help="'],
])('%s: nothing is declared', (_, path, text) => {
  expect(declared(path, text)).toBeUndefined()
})

test('the schema says what is known; what is required, only where nothing else can be passed', () => {
  const found = declared('x.py', 'p.add_argument("file")\np.add_argument("--n", type=int, help="How many")') ?? []
  expect(declaredSchema(found)).toEqual({
    type: 'object',
    properties: {
      file: { type: 'string', description: 'Required.' },
      n: { type: 'integer', description: 'How many' },
    },
    additionalProperties: true,
  })
  expect(strictDeclaredSchema(found)).toMatchObject({ required: ['file'], additionalProperties: false })
})

test('hostile text takes no longer than its length', () => {
  const texts = [
    '.add_argument('.repeat(15_000),
    `p.add_argument(${'"'.repeat(100_000)}`,
    `p.add_argument(${'('.repeat(100_000)}`,
    `'''${'"""'.repeat(50_000)}`,
    `# Usage: x.py ${'<'.repeat(50_000)}`,
    `# Usage: x.py ${'[a '.repeat(30_000)}`,
  ]
  for (const text of texts) {
    const started = performance.now()
    declared('x.py', text)
    expect(performance.now() - started).toBeLessThan(1_000)
  }
})
