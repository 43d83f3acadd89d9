import { DomainError } from '../../../domain/core/errors.ts'
import type { FeedPrice } from '../../../domain/ports/chains.ts'
import type { Connection } from './connection.ts'
import { readAll } from './multicall.ts'
import { feedViews } from './views.ts'

/** Reads a feed without checking its values; null where the chain has no such feed. */
async function readFeed(connection: Connection, pair: string, blockNumber?: bigint): Promise<FeedPrice | null> {
  const feed = connection.deployment.feeds.find((candidate) => candidate.pair === pair)
  if (feed === undefined) return null
  const reads = [feedViews.decimals(feed.address), feedViews.latestRoundData(feed.address)] as const
  const [decimals, round] = await readAll(connection, reads, blockNumber)
  if (decimals === null || round === null) {
    throw new DomainError(
      'UNAVAILABLE',
      `The feed ${pair} of ${connection.deployment.name} does not respond. Try again later.`,
    )
  }
  const [roundId, answer, startedAt, updatedAt, answeredInRound] = round
  const { address: source, heartbeat_seconds: heartbeatSeconds, deviation_bps: deviationBps = null } = feed
  const times = { updatedAt: dateOf(updatedAt), startedAt: dateOf(startedAt) }
  return { pair, answer, decimals, ...times, heartbeatSeconds, deviationBps, roundId, answeredInRound, source }
}

/** A feed may return any number: an invalid time counts as 1970, so the price is stale. */
function dateOf(seconds: bigint): Date {
  return new Date(seconds > 8_640_000_000_000n ? 0 : Number(seconds) * 1_000)
}

/** The feed's price; FAILED_PRECONDITION where it is not above zero. */
export async function readPrice(connection: Connection, pair: string): Promise<FeedPrice | null> {
  const price = await readFeed(connection, pair)
  if (price !== null && price.answer <= 0n) {
    throw new DomainError(
      'FAILED_PRECONDITION',
      `The feed ${pair} of ${connection.deployment.name} has no valid price now. Try again later.`,
    )
  }
  return price
}
