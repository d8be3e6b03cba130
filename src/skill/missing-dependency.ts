// A script that ends because something it imports is not installed: which, and how to get it.

import type { ProcessReport } from '../model/outcome.ts'
import type { Language } from './languages.ts'

const complaints: Partial<Record<Language['type'], readonly RegExp[]>> = {
  python: [/^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?\s*$/m],
  node: [/Cannot find package '([^']+)'/, /Cannot find module '([^'./][^']*)'/],
  ruby: [/cannot load such file -- (\S+)/],
  perl: [/Can't locate (\S+)\.pm in @INC/],
}

const installers: Partial<Record<Language['type'], string>> = {
  python: 'pip install',
  node: 'npm install',
  ruby: 'gem install',
  perl: 'cpan',
}

/** A sentence that names what is missing; nothing where the script ended for another reason. */
export function missingDependency({ exitCode, stderr }: ProcessReport, type: Language['type']): string | undefined {
  if (!exitCode || exitCode > 128) return undefined
  const end = stderr.slice(-8_192)
  for (const pattern of complaints[type] ?? []) {
    const [, name] = pattern.exec(end) ?? []
    if (name === undefined) continue
    const module = type === 'python' ? (name.split('.')[0] ?? name) : name.replaceAll('/', type === 'perl' ? '::' : '/')
    return `The script needs the ${names[type]} "${module}", which is not installed. Install it, for example with: ${installers[type]} ${module}`
  }
  return undefined
}

const names: Partial<Record<Language['type'], string>> = {
  python: 'Python module',
  node: 'package',
  ruby: 'library',
  perl: 'Perl module',
}
