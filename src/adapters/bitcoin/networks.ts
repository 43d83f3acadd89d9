import { NETWORK, TEST_NETWORK } from '@scure/btc-signer'
import type { BitcoinNetwork } from '../../domain/ports/bitcoin.ts'

/** The prefixes of a network's addresses, as bytes and as text. */
export type AddressPrefixes = typeof NETWORK

/** Signet has the prefixes of the test network. Regtest has them too, except that of segwit addresses. */
export const prefixes: Readonly<Record<BitcoinNetwork, AddressPrefixes>> = {
  mainnet: NETWORK,
  testnet: TEST_NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
}
