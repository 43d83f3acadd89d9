import type { Hex } from 'viem'
import type { BridgeChain } from './chain.ts'
import { callContract } from './contract.ts'
import { readBlock } from './transaction.ts'

/** The outputs of the rollup that are published on the parent chain, and the withdrawals proven with them. */
export type Outputs = {
  /** Seconds from the proof of a withdrawal until it can be finalized. */
  finalizationSeconds: number
  /** Rollup block numbers of the newest output and of the next one, and the blocks between outputs. */
  covered: () => Promise<{ newest: number; next: number; interval: number }>
  /** Seconds until a proven withdrawal can be finalized; null where it is not proven. */
  secondsToFinalize: (withdrawal: Hex) => Promise<number | null>
}

/** Outputs that one proposer publishes in an `L2OutputOracle`. */
export async function oracleOutputs(parent: BridgeChain, portal: Hex, oracle: Hex): Promise<Outputs> {
  const ofOracle = (name: string) => callContract(parent, oracle, `function ${name}() view returns (uint256)`)
  const [finalizationSeconds, interval] = (await Promise.all(
    ['FINALIZATION_PERIOD_SECONDS', 'SUBMISSION_INTERVAL'].map(ofOracle),
  )) as [bigint, bigint]
  return {
    finalizationSeconds: Number(finalizationSeconds),
    covered: async () => {
      const [newest, next] = (await Promise.all(['latestBlockNumber', 'nextBlockNumber'].map(ofOracle))) as bigint[]
      return { newest: Number(newest), next: Number(next), interval: Number(interval) }
    },
    secondsToFinalize: async (withdrawal) => {
      const signature = 'function provenWithdrawals(bytes32) view returns (bytes32, uint128, uint128)'
      const [, at] = (await callContract(parent, portal, signature, [withdrawal])) as [Hex, bigint, bigint]
      if (at === 0n) return null
      const head = await readBlock(parent, 'latest')
      return Math.max(Number(at + finalizationSeconds) - (head?.timestamp ?? 0), 0)
    },
  }
}
