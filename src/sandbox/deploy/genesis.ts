import { type Address, type Hex, numberToHex } from 'viem'
import { multicall3Code } from '../contracts/multicall3.ts'
import { blockGasLimit } from '../engine/engine.ts'
import { deployer } from './accounts.ts'
import { multicall3 } from './addresses.ts'
import { keeperStock, pooled, rugPool, tokens, treasuryNative } from './market.ts'

/** What the deployer needs to wrap, beside gas. */
export const deployerWraps = pooled(tokens.WETH) + rugPool.weth + keeperStock.weth

/** The first block's state: the accounts' native money, and Multicall3 where everybody expects it. */
export function genesisJson(options: {
  chainId: number
  timestamp: number
  treasury: Address
  keeper: Address
}): string {
  const alloc: Record<Address, { balance: Hex; code?: Hex }> = {
    [deployer.address]: { balance: numberToHex(deployerWraps + 10n ** 18n) },
    [options.treasury]: { balance: numberToHex(treasuryNative) },
    [options.keeper]: { balance: numberToHex(keeperStock.native) },
    [multicall3]: { balance: '0x0', code: multicall3Code },
  }
  return JSON.stringify({
    config: { chainId: options.chainId },
    timestamp: numberToHex(options.timestamp),
    gasLimit: numberToHex(blockGasLimit),
    baseFeePerGas: numberToHex(100_000_000n),
    difficulty: '0x0',
    alloc,
  })
}
