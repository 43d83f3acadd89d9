import { type Address, type Hex, numberToHex } from 'viem'
import { gasPriceOracle, l1Block, messagePasser } from '../../opstack/predeploys.ts'
import { multicall3Code } from '../contracts/multicall3.ts'
import { blockGasLimit } from '../engine/engine.ts'
import { deployer } from './accounts.ts'
import { multicall3 } from './addresses.ts'
import { ownArtifact } from './artifacts.ts'
import { faultyPoolsWeth } from './faulty-tokens.ts'
import { keeperStock, pooled, rugPool, tokens, treasuryNative } from './market.ts'

/** The native amount that the deployer wraps. */
export const deployerWraps = pooled(tokens.WETH) + rugPool.weth + faultyPoolsWeth + keeperStock.weth

const deployerNative = deployerWraps + 10n ** 18n

/** The native supply at the rollup's genesis, in wei. */
export const startingSupply = deployerNative + treasuryNative + keeperStock.native

/** An account in the genesis block. */
export type GenesisAccount = { balance: Hex; code?: Hex; storage?: Record<Hex, Hex> }

/** The rollup's genesis: native balances, and the predeployed contracts of the OP Stack. */
export function genesisJson(options: {
  chainId: number
  timestamp: number
  treasury: Address
  keeper: Address
}): string {
  return genesisOf(options, {
    [deployer.address]: { balance: numberToHex(deployerNative) },
    [options.treasury]: { balance: numberToHex(treasuryNative) },
    [options.keeper]: { balance: numberToHex(keeperStock.native) },
    [messagePasser]: { balance: '0x0', code: ownArtifact('L2ToL1MessagePasser').deployedBytecode },
    [l1Block]: { balance: '0x0', code: ownArtifact('L1Block').deployedBytecode },
    [gasPriceOracle]: { balance: '0x0', code: ownArtifact('GasPriceOracle').deployedBytecode },
  })
}

/** A genesis with these accounts and Multicall3, in the format of the engine. */
export function genesisOf(
  { chainId, timestamp }: { chainId: number; timestamp: number },
  accounts: Record<Address, GenesisAccount>,
): string {
  return JSON.stringify({
    config: { chainId },
    timestamp: numberToHex(timestamp),
    gasLimit: numberToHex(blockGasLimit),
    baseFeePerGas: numberToHex(100_000_000n),
    difficulty: '0x0',
    alloc: { ...accounts, [multicall3]: { balance: '0x0', code: multicall3Code } },
  })
}
