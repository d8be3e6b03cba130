// Secrets that open something: made from 32 random bytes, kept and compared as hashes, in constant time.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 43 letters, digits, `-` and `_`. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Whether a secret is the one of that hash; how long it takes says nothing about either. */
export function isSecret(given: string, hash: Buffer): boolean {
  return timingSafeEqual(hashOf(given), hash)
}
