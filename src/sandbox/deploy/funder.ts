import { type Address, encodeFunctionData, type Hex } from 'viem'
import { funderAbi } from './abis.ts'
import { addresses } from './addresses.ts'
import { grants } from './market.ts'

/** One asset of the grant for a new account. The native one has no address. */
type Grant = { symbol: string; address: Address | null; amount: bigint }

/** A contract that gives an account everything it needs to trade, in one transaction from the treasury. */
export type Funder = { address: Address; encode: (to: Address) => { data: Hex; value: bigint }; grants: Grant[] }

export const funder: Funder = {
  address: addresses.funder,
  encode: (to) => ({
    data: encodeFunctionData({ abi: funderAbi, functionName: 'fund', args: [to] }),
    value: grants.native + grants.weth,
  }),
  grants: [
    { symbol: 'ETH', address: null, amount: grants.native },
    { symbol: 'WETH', address: addresses.weth, amount: grants.weth },
    { symbol: 'USDC', address: addresses.usdc, amount: grants.usdc },
    { symbol: 'WBTC', address: addresses.wbtc, amount: grants.wbtc },
  ],
}
