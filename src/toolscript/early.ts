// For a command that will run one script: what takes longest is begun before anything else is loaded.

import { prepareBoxes } from '../sandbox/deno-box.ts'
import { startCheckerEarly } from './check.ts'

export function prepareEarly(): void {
  startCheckerEarly()
  prepareBoxes()
}
