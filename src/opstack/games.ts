import { type Hex, hexToBigInt, slice } from 'viem'
import type { BridgeChain } from './chain.ts'
import { callContract } from './contract.ts'
import type { Outputs } from './outputs.ts'
import { readBlock } from './transaction.ts'

const latestGames =
  'function findLatestGames(uint32, uint256, uint256) view returns ((uint256 index, bytes32 metadata, uint64 timestamp, bytes32 rootClaim, bytes extraData)[])'

type Game = { extraData: Hex }

/** How many of the newest games are read. Anybody may start one, so they need not be in the order of their blocks. */
const gamesRead = 10n

/** Outputs that are claimed in dispute games, which anybody may start and anybody may contest. */
export async function gameOutputs(parent: BridgeChain, portal: Hex, factory: Hex): Promise<Outputs> {
  const ofPortal = (signature: string, args: readonly unknown[] = []) =>
    callContract(parent, portal, `function ${signature}`, args)
  const [proofDelay, gameDelay] = (await Promise.all(
    ['proofMaturityDelaySeconds', 'disputeGameFinalityDelaySeconds'].map((name) =>
      ofPortal(`${name}() view returns (uint256)`),
    ),
  )) as [bigint, bigint]

  /** Seconds until a proven withdrawal can be finalized. It is 0 as soon as the portal accepts it. */
  async function secondsLeft(withdrawal: Hex, submitter: Hex): Promise<number> {
    const proven = 'provenWithdrawals(bytes32, address) view returns (address, uint64)'
    const [ready, [, at], head] = await Promise.all([
      ofPortal('checkWithdrawal(bytes32, address) view', [withdrawal, submitter]).then(
        () => true,
        () => false,
      ),
      ofPortal(proven, [withdrawal, submitter]) as Promise<[Hex, bigint]>,
      readBlock(parent, 'latest'),
    ])
    if (ready) return 0
    const delayLeft = Number(at + proofDelay) - (head?.timestamp ?? 0)
    // The game is not resolved yet, or was resolved too recently.
    return delayLeft > 0 ? delayLeft : Number(gameDelay)
  }

  return {
    finalizationSeconds: Number(proofDelay),
    covered: async () => {
      const [kind, count] = (await Promise.all([
        ofPortal('respectedGameType() view returns (uint32)'),
        callContract(parent, factory, 'function gameCount() view returns (uint256)'),
      ])) as [number, bigint]
      if (count === 0n) return { newest: 0, next: 0, interval: 1 }
      const games = (await callContract(parent, factory, latestGames, [kind, count - 1n, gamesRead])) as Game[]
      const blocks = games.map(({ extraData }) => Number(hexToBigInt(slice(extraData, 0, 32)))).sort((a, b) => b - a)
      const [newest = 0, before = newest] = blocks
      const interval = Math.max(newest - before, 1)
      return { newest, next: newest + interval, interval }
    },
    secondsToFinalize: async (withdrawal) => {
      const count = Number(await ofPortal('numProofSubmitters(bytes32) view returns (uint256)', [withdrawal]))
      const submitterAt = 'proofSubmitters(bytes32, uint256) view returns (address)'
      const submitters = (await Promise.all(
        Array.from({ length: Math.min(count, 10) }, (_, index) => ofPortal(submitterAt, [withdrawal, BigInt(index)])),
      )) as Hex[]
      const times = await Promise.all(submitters.map((submitter) => secondsLeft(withdrawal, submitter)))
      return times.length === 0 ? null : Math.min(...times)
    },
  }
}
