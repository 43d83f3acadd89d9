import { DomainError } from '../../../domain/core/errors.ts'
import type { FeedPrice } from '../../../domain/ports/chains.ts'
import type { Connection } from './connection.ts'
import type { Deployment } from './deployment.ts'
import { readAll } from './multicall.ts'
import { feedViews } from './views.ts'

/** The feeds of the chain by pair at the newest block, with unchecked values; null for one that does not respond. */
async function readFeeds(connection: Connection): Promise<ReadonlyMap<string, FeedPrice | null>> {
  const { feeds } = connection.deployment
  const [decimals, rounds] = await Promise.all([
    readAll(
      connection,
      feeds.map(({ address }) => feedViews.decimals(address)),
    ),
    readAll(
      connection,
      feeds.map(({ address }) => feedViews.latestRoundData(address)),
    ),
  ])
  return new Map(feeds.map((feed, index) => [feed.pair, priceOf(feed, decimals[index], rounds[index])]))
}

type Round = readonly [bigint, bigint, bigint, bigint, bigint]

function priceOf(
  feed: Deployment['feeds'][number],
  decimals: number | null | undefined,
  round: Round | null | undefined,
): FeedPrice | null {
  if (decimals == null || round == null) return null
  const { pair, address: source, heartbeat_seconds: heartbeatSeconds, deviation_bps: deviationBps = null } = feed
  const [roundId, answer, startedAt, updatedAt, answeredInRound] = round
  const times = { updatedAt: dateOf(updatedAt), startedAt: dateOf(startedAt) }
  return { pair, answer, decimals, ...times, heartbeatSeconds, deviationBps, roundId, answeredInRound, source }
}

/** A feed may return any number: an invalid time counts as 1970, so the price is stale. */
function dateOf(seconds: bigint): Date {
  return new Date(seconds > 8_640_000_000_000n ? 0 : Number(seconds) * 1_000)
}

/** The feed's price; FAILED_PRECONDITION where it is not above zero, null where the chain has no such feed. */
export async function readPrice(connection: Connection, pair: string): Promise<FeedPrice | null> {
  const { feeds, name } = connection.deployment
  if (feeds.every((feed) => feed.pair !== pair)) return null
  const view = await connection.view()
  const price = (await view.once('feeds', () => readFeeds(connection))).get(pair)
  if (price == null)
    throw new DomainError('UNAVAILABLE', `The feed ${pair} of ${name} does not respond. Try again later.`)
  if (price.answer > 0n) return price
  throw new DomainError('FAILED_PRECONDITION', `The feed ${pair} of ${name} has no valid price now. Try again later.`)
}
