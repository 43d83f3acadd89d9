import { createHash, timingSafeEqual } from 'node:crypto'
import type { Tier } from '../contract/shared/limits.ts'
import type { Caller } from '../gateway/request.ts'

/** A configured key of at least 16 characters, and its tier. */
export type ConfiguredKey = { key: string; tier: Tier }

/**
 * Finds the configured key that a caller sent; null where it sent none. All digests are compared each time, so that the
 * duration reveals nothing about a key.
 */
export function apiKeyReader(configured: readonly ConfiguredKey[]): (sent: string | undefined) => Caller['apiKey'] {
  const known = configured.map(({ key, tier }) => ({ digest: digestOf(key), tier }))
  return (sent) => {
    if (sent === undefined) return null
    const digest = digestOf(sent)
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest))
    return found === undefined ? 'unknown' : { id: digest.toString('hex'), tier: found.tier }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
