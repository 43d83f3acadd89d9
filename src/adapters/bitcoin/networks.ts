import { NETWORK, TEST_NETWORK } from '@scure/btc-signer'
import type { BitcoinNetwork } from '../../domain/ports/bitcoin.ts'

/** What addresses of a network begin with, as bytes and as a word. */
export type AddressPrefixes = typeof NETWORK

/** Signet takes the prefixes of the test network; regtest all of them but the word of segwit addresses. */
export const prefixes: Readonly<Record<BitcoinNetwork, AddressPrefixes>> = {
  mainnet: NETWORK,
  testnet: TEST_NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
}
