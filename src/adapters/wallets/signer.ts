import { hexToBytes } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import { type Hex, type SignableTransaction, sameAddress } from '../../domain/ports/chains.ts'
import type { SealedWallet, Signer } from '../../domain/ports/wallets.ts'
import { createKeystores } from './keystores.ts'
import { addressOfKey, newPrivateKey, signedWith, unsignedBytes } from './private-key.ts'
import { type RemoteSigner, verified } from './remote-signer.ts'
import { createSeal, type Seal } from './seal.ts'

type SignerSettings = {
  /** 32 bytes, without which no stored key can be opened, or the seal over several. */
  masterKey: Uint8Array | Seal
  /** Key of the account that funds wallets and pays the faucet; null where there is none. */
  treasuryKey: Hex | null
  /** That account where its key is elsewhere: it signs the bytes of unsigned transactions. */
  treasury?: { address: Hex; sign: (unsigned: Hex) => Promise<Hex> } | undefined
  /** The stored sealed key of an address, null where there is none: a remote signer may have it. */
  sealedKey: (address: Hex) => Promise<{ userId: number; sealedKey: string } | null>
  remote?: RemoteSigner | null
}

/** Opens a signer that unseals a key for one use and does not keep it. */
export function createSigner(settings: SignerSettings): Signer {
  const { masterKey, sealedKey, remote = null } = settings
  const seal = masterKey instanceof Uint8Array ? createSeal(masterKey) : masterKey
  const keystores = createKeystores()
  const treasury = settings.treasury ?? treasuryOf(settings.treasuryKey)

  function sealed(userId: number, ref: string, key: Uint8Array): SealedWallet {
    const address = addressOfKey(key)
    const wallet = { ref, address, sealedKey: seal.close(key, { userId, address }) }
    key.fill(0)
    return wallet
  }

  /**
   * Runs work with the key of a wallet, and wipes the key afterwards. Null where the gateway does not hold it. The seal
   * has authenticated that the key is the one of the address.
   */
  async function withKey<T>(address: Hex, work: (key: Buffer) => T): Promise<Awaited<T> | null> {
    const found = await sealedKey(address)
    if (found === null) return null
    let key: Buffer
    try {
      key = seal.open(found.sealedKey, { userId: found.userId, address })
    } catch (cause) {
      throw new DomainError('FAILED_PRECONDITION', unreadable, {}, cause)
    }
    try {
      return await work(key)
    } finally {
      key.fill(0)
    }
  }

  return {
    treasury: treasury?.address ?? null,
    remoteAccounts: remote === null ? null : remote.accounts,
    generate: (userId, ref) => sealed(userId, ref, newPrivateKey()),
    async importKeystore(userId, ref, keystore, password) {
      return { ...sealed(userId, ref, await keystores.read(keystore, password)), imported: true }
    },
    async exportKeystore(address, password) {
      const keystore = await withKey(address, async (key) => await keystores.write(key, password))
      if (keystore !== null) return keystore
      throw new DomainError(
        'FAILED_PRECONDITION',
        'The gateway does not hold the key of this wallet, so it cannot export it. Export it from the remote signer.',
      )
    },
    async sign(address, transaction) {
      if (treasury !== null && sameAddress(treasury.address, address))
        return 'key' in treasury ? signed(treasury.key, transaction) : await signedBy(treasury, transaction)
      const own = await withKey(address, (key) => signed(key, transaction))
      if (own !== null) return own
      if (remote === null) throw new DomainError('FAILED_PRECONDITION', elsewhere)
      return await remote.sign(address, transaction)
    },
  }
}

function treasuryOf(treasuryKey: Hex | null): { key: Uint8Array; address: Hex } | null {
  if (treasuryKey === null) return null
  const key = hexToBytes(treasuryKey)
  return { key, address: addressOfKey(key) }
}

function signed(key: Uint8Array, transaction: SignableTransaction): { raw: Hex; hash: Hex } {
  try {
    return signedWith(key, transaction)
  } catch (cause) {
    // Signing is deterministic: a transaction that is refused once is always refused.
    throw new DomainError('FAILED_PRECONDITION', unsignable, {}, cause)
  }
}

async function signedBy({ address, sign }: NonNullable<SignerSettings['treasury']>, transaction: SignableTransaction) {
  return await verified(await sign(unsignedBytes(transaction)), address, transaction)
}

const unreadable = 'The key of this wallet cannot be opened. The operator must restore the MASTER_KEY that sealed it.'

const unsignable = 'The transaction cannot be signed: one of its fields is out of range.'

const elsewhere =
  'The gateway does not hold the key of this wallet. The operator must set SIGNER_URL to the signer that holds it.'
