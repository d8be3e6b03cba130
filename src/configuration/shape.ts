// What a configuration must look like: `schema.json`, as it is shipped.

import { readFile } from 'node:fs/promises'
import type { Shape } from './check.ts'

let shape: Promise<Shape> | undefined

export function readShape(): Promise<Shape> {
  shape ??= readFile(new URL('../../schema.json', import.meta.url), 'utf8').then((text): Shape => JSON.parse(text))
  return shape
}
