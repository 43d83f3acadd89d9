import type { Hex } from 'viem'
import type { BridgeChain } from './chain.ts'
import { callContract } from './contract.ts'
import { readBlock } from './transaction.ts'

/** What the parent chain is shown of the rollup, and what of a withdrawal was proven by it. */
export type Outputs = {
  /** Seconds between the proof of a withdrawal and its payment. */
  maturity: number
  /** Rollup blocks: that of the newest output, of the next one, and how far they are apart. */
  covered: () => Promise<{ newest: number; next: number; interval: number }>
  /** Seconds that a withdrawal's proof still has to ripen; null where it is not proven. */
  ripening: (withdrawal: Hex) => Promise<number | null>
}

/** Outputs that one proposer writes into an `L2OutputOracle`. */
export async function oracleOutputs(parent: BridgeChain, portal: Hex, oracle: Hex): Promise<Outputs> {
  const ofOracle = (name: string) => callContract(parent, oracle, `function ${name}() view returns (uint256)`)
  const [maturity, interval] = (await Promise.all(
    ['FINALIZATION_PERIOD_SECONDS', 'SUBMISSION_INTERVAL'].map(ofOracle),
  )) as [bigint, bigint]
  return {
    maturity: Number(maturity),
    covered: async () => {
      const [newest, next] = (await Promise.all(['latestBlockNumber', 'nextBlockNumber'].map(ofOracle))) as bigint[]
      return { newest: Number(newest), next: Number(next), interval: Number(interval) }
    },
    ripening: async (withdrawal) => {
      const signature = 'function provenWithdrawals(bytes32) view returns (bytes32, uint128, uint128)'
      const [, at] = (await callContract(parent, portal, signature, [withdrawal])) as [Hex, bigint, bigint]
      if (at === 0n) return null
      const head = await readBlock(parent, 'latest')
      // The block that pays must be later than the proof's by more than the time to ripen.
      return Math.max(Number(at + maturity) - (head?.timestamp ?? 0), 0)
    },
  }
}
