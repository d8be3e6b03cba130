// How something that is missing is installed on this machine, as a command to copy.

import { findProgram } from '../../run/lookup.ts'

/** The first that is there is the system's own. */
const managers = {
  'apt-get': 'sudo apt-get install',
  dnf: 'sudo dnf install',
  pacman: 'sudo pacman -S',
  zypper: 'sudo zypper install',
  apk: 'sudo apk add',
  brew: 'brew install',
  winget: 'winget install',
} as const
type Manager = keyof typeof managers

/** Packages that are not called what the program is called. */
const packages: Readonly<Record<string, Partial<Record<Manager, string>>>> = {
  python3: { pacman: 'python', winget: 'Python.Python.3.14' },
  git: { winget: 'Git.Git' },
  ruby: { winget: 'RubyInstallerTeam.Ruby.3.4' },
  perl: { winget: 'StrawberryPerl.StrawberryPerl' },
  prlimit: {
    'apt-get': 'util-linux',
    dnf: 'util-linux',
    pacman: 'util-linux',
    zypper: 'util-linux',
    apk: 'util-linux',
  },
}

/** Such as `install it with "sudo apt-get install ruby"`. */
export function howToInstall(name: string, searchPath = process.env.PATH): string {
  const names = Object.keys(managers) as Manager[]
  const manager = names.find((each) => findProgram(each, '/', searchPath).ok)
  if (!manager) return `install ${name}`
  return `install it with "${managers[manager]} ${packages[name]?.[manager] ?? name}"`
}
