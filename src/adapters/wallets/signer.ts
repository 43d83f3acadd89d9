import { type Hex, hexToBytes, keccak256, toHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DomainError } from '../../domain/errors.ts'
import type { Signer } from '../../domain/ports/wallets.ts'
import { createSeal } from './seal.ts'

export type SignerSettings = {
  /** 32 bytes. Without it no stored key can be opened again. */
  masterKey: Uint8Array
  /** Key of the account that funds wallets and pays the faucet; null where there is none. */
  treasuryKey: Hex | null
  /** The stored sealed key of an address, null where it is not a wallet of ours. */
  sealedKey: (address: Hex) => Promise<string | null>
}

/** Opens a signer that unseals a key for one signature at a time and keeps none. */
export function createSigner({ masterKey, treasuryKey, sealedKey }: SignerSettings): Signer {
  const seal = createSeal(masterKey)
  const treasury = treasuryKey === null ? null : privateKeyToAccount(treasuryKey)

  async function accountOf(address: Hex): Promise<PrivateKeyAccount> {
    if (treasury !== null && same(treasury.address, address)) return treasury
    const sealed = await sealedKey(address)
    if (sealed === null) throw new DomainError('FAILED_PRECONDITION', 'The key of this wallet is not kept here.')
    let key: Buffer
    try {
      key = seal.open(sealed, address.toLowerCase())
    } catch (cause) {
      throw new DomainError('FAILED_PRECONDITION', unreadable, {}, cause)
    }
    const account = privateKeyToAccount(toHex(key))
    key.fill(0)
    if (!same(account.address, address)) throw new DomainError('FAILED_PRECONDITION', unreadable)
    return account
  }

  return {
    treasury: treasury?.address ?? null,
    generate(ref) {
      const key = generatePrivateKey()
      const { address } = privateKeyToAccount(key)
      const bytes = hexToBytes(key)
      const sealedKey = seal.close(bytes, address.toLowerCase())
      bytes.fill(0)
      return { ref, address, sealedKey }
    },
    async sign(address, transaction) {
      const account = await accountOf(address)
      const raw = await account.signTransaction({ ...transaction, type: 'eip1559' })
      return { raw, hash: keccak256(raw) }
    },
  }
}

const unreadable =
  'The key of this wallet cannot be opened; the operator has to restore the MASTER_KEY it was sealed with.'

function same(a: Hex, b: Hex): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
