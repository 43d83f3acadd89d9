import type { Owner, Seal } from './seal.ts'

/** The stored keys, for encrypting them again. */
export type SealedKeys = {
  /** Up to 500 keys whose text does not start with the prefix, ordered by id, after the given id. */
  sealedOtherwise(prefix: string, afterId: number): Promise<(Owner & { id: number; sealedKey: string })[]>
  /** Replaces the old text by the new one; does nothing where the stored text has changed. */
  replaceSealedKey(id: number, from: string, to: string): Promise<void>
}

/**
 * Encrypts every stored key anew that an earlier master key or an earlier version encrypted, and returns how many. Each is
 * replaced by itself, so that the next start goes on where a killed one ended. Throws where
 * none of the given master keys opens a key: a gateway with the wrong master key must not start.
 */
export async function sealAnew(keys: SealedKeys, seal: Seal): Promise<number> {
  let [after, count] = [0, 0]
  for (;;) {
    const rows = await keys.sealedOtherwise(seal.prefix, after)
    for (const { id, sealedKey, ...owner } of rows) {
      const key = opened(seal, sealedKey, owner)
      await keys.replaceSealedKey(id, sealedKey, seal.close(key, owner))
      key.fill(0)
      ;[after, count] = [id, count + 1]
    }
    if (rows.length === 0) return count
  }
}

function opened(seal: Seal, sealedKey: string, owner: Owner): Buffer {
  try {
    return seal.openAny(sealedKey, owner)
  } catch (cause) {
    throw new Error(
      `The key of wallet ${owner.address.toLowerCase()} was sealed with another master key. Start with that one: as MASTER_KEY, or as ` +
        'master.key in DATA_DIR. To change the master key, give the old one as PREVIOUS_MASTER_KEY for one start. A row that was ' +
        'moved from another account does not open either.',
      { cause },
    )
  }
}
