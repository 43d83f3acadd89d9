import type { Address } from 'viem'

/** Contracts that every OP Stack rollup has at these addresses from its genesis. */

export const messenger: Address = '0x4200000000000000000000000000000000000007'
export const gasPriceOracle: Address = '0x420000000000000000000000000000000000000f'
export const standardBridge: Address = '0x4200000000000000000000000000000000000010'
/** Stores the attributes of the parent chain's block. */
export const l1Block: Address = '0x4200000000000000000000000000000000000015'
/** Withdrawals are initiated here. */
export const messagePasser: Address = '0x4200000000000000000000000000000000000016'
