import { encodePacked, type Hex, keccak256, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/**
 * The account that deploys the world. Its key is known to all, so that contracts have the same addresses everywhere;
 * it is left without funds and rights.
 */
export const deployer: PrivateKeyAccount = privateKeyToAccount(keccak256(stringToHex('trident sandbox deployer')))

/** The account that refreshes feeds and balances pools: the treasury's nonces belong to whoever sends for the treasury. */
export function keeperAccount(treasuryKey: Hex): PrivateKeyAccount {
  return derived(treasuryKey, 'trident sandbox keeper')
}

/** The account that tells the parent chain of the rollup's outputs. */
export function proposerAccount(treasuryKey: Hex): PrivateKeyAccount {
  return derived(treasuryKey, 'trident sandbox proposer')
}

function derived(treasuryKey: Hex, purpose: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(encodePacked(['bytes32', 'string'], [treasuryKey, purpose])))
}
