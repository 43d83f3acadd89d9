import { type Hex, hexToBytes, keccak256, toHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DomainError } from '../../domain/core/errors.ts'
import { type SignableTransaction, sameAddress } from '../../domain/ports/chains.ts'
import type { SealedWallet, Signer } from '../../domain/ports/wallets.ts'
import { createKeystores } from './keystores.ts'
import type { RemoteSigner } from './remote-signer.ts'
import { createSeal } from './seal.ts'

export type SignerSettings = {
  /** 32 bytes. Without it no stored key can be opened. */
  masterKey: Uint8Array
  /** Earlier master keys, which open the keys that are still sealed with them. */
  earlierKeys?: readonly Uint8Array[]
  /** Key of the account that funds wallets and pays the faucet; null where there is none. */
  treasuryKey: Hex | null
  /** The stored sealed key of an address, null where there is none: a remote signer may have it. */
  sealedKey: (address: Hex) => Promise<string | null>
  remote?: RemoteSigner | null
}

/** Opens a signer that unseals a key for one use and does not keep it. */
export function createSigner(settings: SignerSettings): Signer {
  const { treasuryKey, sealedKey, remote = null } = settings
  const seal = createSeal(settings.masterKey, settings.earlierKeys)
  const keystores = createKeystores()
  const treasury = treasuryKey === null ? null : privateKeyToAccount(treasuryKey)

  function sealed(ref: string, key: Uint8Array): SealedWallet {
    const { address } = privateKeyToAccount(toHex(key))
    const sealedKey = seal.close(key, address.toLowerCase())
    key.fill(0)
    return { ref, address, sealedKey }
  }

  /** Runs work with the key of a wallet, and wipes the key afterwards. */
  async function withKey<T>(address: Hex, text: string, work: (key: Buffer) => Promise<T>): Promise<T> {
    let key: Buffer
    try {
      key = seal.open(text, address.toLowerCase())
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
    generate: (ref) => sealed(ref, hexToBytes(generatePrivateKey())),
    async importKeystore(ref, keystore, password) {
      return { ...sealed(ref, await keystores.read(keystore, password)), imported: true }
    },
    async exportKeystore(address, password) {
      const text = await sealedKey(address)
      if (text === null)
        throw new DomainError(
          'FAILED_PRECONDITION',
          'The gateway does not hold the key of this wallet, so it cannot export it. Export it from the remote signer.',
        )
      return await withKey(address, text, async (key) => await keystores.write(key, password))
    },
    async sign(address, transaction) {
      if (treasury !== null && sameAddress(treasury.address, address)) return await signedBy(treasury, transaction)
      const text = await sealedKey(address)
      if (text !== null)
        return await withKey(address, text, async (key) => {
          const account = privateKeyToAccount(toHex(key))
          if (!sameAddress(account.address, address)) throw new DomainError('FAILED_PRECONDITION', unreadable)
          return await signedBy(account, transaction)
        })
      if (remote === null) throw new DomainError('FAILED_PRECONDITION', elsewhere)
      return await remote.sign(address, transaction)
    },
  }
}

async function signedBy(account: PrivateKeyAccount, transaction: SignableTransaction) {
  // A wrong checksum must not make a transaction unsignable, because its nonce would block all later ones.
  const to = transaction.to.toLowerCase() as Hex
  try {
    const raw = await account.signTransaction({ ...transaction, to, type: 'eip1559' })
    return { raw, hash: keccak256(raw) }
  } catch (cause) {
    // Signing is deterministic: a transaction that is refused once is always refused.
    throw new DomainError('FAILED_PRECONDITION', unsignable, {}, cause)
  }
}

const unreadable = 'The key of this wallet cannot be opened. The operator must restore the MASTER_KEY that sealed it.'

const unsignable = 'The transaction cannot be signed: one of its fields is out of range.'

const elsewhere =
  'The gateway does not hold the key of this wallet. The operator must set SIGNER_URL to the signer that holds it.'
