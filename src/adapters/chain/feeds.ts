import { DomainError } from '../../domain/errors.ts'
import type { FeedPrice } from '../../domain/ports/chains.ts'
import { feedAbi } from './abis.ts'
import type { Connection } from './connection.ts'
import { readAll, reading } from './multicall.ts'

/** Reads a feed as it is, sensible or not; null where the chain has no such feed. */
export async function readFeed(connection: Connection, pair: string, blockNumber?: bigint): Promise<FeedPrice | null> {
  const feed = connection.deployment.feeds.find((candidate) => candidate.pair === pair)
  if (feed === undefined) return null
  const reads = [
    reading(feed.address, feedAbi, 'decimals', []),
    reading(feed.address, feedAbi, 'latestRoundData', []),
  ] as const
  const [decimals, round] = await readAll(connection, reads, blockNumber)
  if (decimals === null || round === null) {
    throw new DomainError(
      'UNAVAILABLE',
      `The feed ${pair} of ${connection.deployment.name} does not answer; try again later.`,
    )
  }
  const [roundId, answer, , updatedAt] = round
  const { address: source, heartbeat_seconds: heartbeatSeconds, deviation_bps: deviationBps = null } = feed
  const at = new Date(Number(updatedAt) * 1_000)
  return { pair, answer, decimals, updatedAt: at, heartbeatSeconds, deviationBps, roundId, source }
}

/** The feed's price; FAILED_PRECONDITION where it is not above zero, so that nothing is ever valued at nonsense. */
export async function readPrice(connection: Connection, pair: string): Promise<FeedPrice | null> {
  const price = await readFeed(connection, pair)
  if (price !== null && price.answer <= 0n) {
    throw new DomainError(
      'FAILED_PRECONDITION',
      `The feed ${pair} of ${connection.deployment.name} answers no price now; try again later.`,
    )
  }
  return price
}
