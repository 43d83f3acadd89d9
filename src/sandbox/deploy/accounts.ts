import { encodePacked, type Hex, keccak256, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/**
 * The account that deploys the contracts. Its key is public, so that contracts have the same addresses everywhere; at the
 * end it has no funds and no rights.
 */
export const deployer: PrivateKeyAccount = privateKeyToAccount(keccak256(stringToHex('trident sandbox deployer')))

/** The account that refreshes feeds and balances pools. It is not the treasury, whose nonces the gateway assigns. */
export function keeperAccount(treasuryKey: Hex): PrivateKeyAccount {
  return derived(treasuryKey, 'trident sandbox keeper')
}

/** The account that proposes the rollup's outputs on the parent chain. */
export function proposerAccount(treasuryKey: Hex): PrivateKeyAccount {
  return derived(treasuryKey, 'trident sandbox proposer')
}

function derived(treasuryKey: Hex, purpose: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(encodePacked(['bytes32', 'string'], [treasuryKey, purpose])))
}
