import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  getContractAddress,
  getCreate2Address,
  type Hex,
  keccak256,
} from 'viem'
import { deployer } from './accounts.ts'

/** The contracts in the order of their creation. The order decides the nonce and so the address of each. */
export const creationOrder = [
  'weth',
  'usdc',
  'wbtc',
  'ethUsdFeed',
  'btcUsdFeed',
  'usdcUsdFeed',
  'funder',
  'v2Factory',
  'v2Router',
  'v3Factory',
  'positionManager',
  'v3Quoter',
  'v3Router',
  'rug',
  'testUsdFeed',
  'staleUsdFeed',
  'badSell',
  'badTax',
  'badMint',
  'badThin',
  'badFeed',
  'badPrice',
] as const

export type ContractName = (typeof creationOrder)[number]

/** The address of each contract, the same on every machine and in every data folder. */
export const addresses = Object.fromEntries(
  creationOrder.map((name, nonce) => [name, getContractAddress({ from: deployer.address, nonce: BigInt(nonce) })]),
) as Readonly<Record<ContractName, Address>>

export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Hashes of the pools' creation code, as they are built into the periphery contracts. */
const v2PairCodeHash: Hex = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'
const v3PoolCodeHash: Hex = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'

/** Two tokens in the order of a Uniswap pool. */
export function sorted(a: Address, b: Address): [Address, Address] {
  return a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a]
}

/** Address of the v2 pool of two tokens, whether or not it exists yet. */
export function v2PairAddress(a: Address, b: Address): Address {
  const salt = keccak256(encodePacked(['address', 'address'], sorted(a, b)))
  return getCreate2Address({ from: addresses.v2Factory, salt, bytecodeHash: v2PairCodeHash })
}

/** Address of the v3 pool of two tokens at a fee, whether or not it exists yet. */
export function v3PoolAddress(a: Address, b: Address, fee: number): Address {
  const key = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
    [...sorted(a, b), fee],
  )
  return getCreate2Address({ from: addresses.v3Factory, salt: keccak256(key), bytecodeHash: v3PoolCodeHash })
}
