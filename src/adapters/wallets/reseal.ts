import type { Seal } from './seal.ts'

/** The stored keys, as far as sealing them anew needs them. */
export type SealedKeys = {
  /** Up to 500 keys whose text does not begin so, in the order of their ids, after the id given. */
  sealedOtherwise(prefix: string, afterId: number): Promise<{ id: number; address: string; sealedKey: string }[]>
  /** Puts the new text in the place of the old one; nothing happens where it is no longer there. */
  replaceSealedKey(id: number, from: string, to: string): Promise<void>
}

/**
 * Seals every stored key with the present master key that an earlier one sealed. Throws an Error that says what to do
 * where a key opens with none of those given: a gateway with the wrong master key must not start.
 */
export async function sealAnew(keys: SealedKeys, seal: Seal): Promise<number> {
  let [after, count] = [0, 0]
  for (;;) {
    const rows = await keys.sealedOtherwise(seal.prefix, after)
    for (const { id, address, sealedKey } of rows) {
      const label = address.toLowerCase()
      const key = opened(seal, sealedKey, label)
      await keys.replaceSealedKey(id, sealedKey, seal.close(key, label))
      key.fill(0)
      ;[after, count] = [id, count + 1]
    }
    if (rows.length === 0) return count
  }
}

function opened(seal: Seal, sealedKey: string, label: string): Buffer {
  try {
    return seal.open(sealedKey, label)
  } catch (cause) {
    throw new Error(
      `The key of wallet ${label} was sealed with another master key. Start with that one: as MASTER_KEY, or as ` +
        'master.key in DATA_DIR. To change the master key, give the old one as PREVIOUS_MASTER_KEY for one start.',
      { cause },
    )
  }
}
