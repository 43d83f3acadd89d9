import { DomainError } from '../../../domain/core/errors.ts'
import type { FeedPrice } from '../../../domain/ports/chains.ts'
import { type Connection, readBlock } from '../reads/connection.ts'
import type { Deployment } from '../reads/deployment.ts'
import { readAll } from '../reads/multicall.ts'
import { feedViews } from '../reads/views.ts'
import { type Round, roundAt } from './feed-rounds.ts'

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

function priceOf(
  feed: Deployment['feeds'][number],
  decimals: number | null | undefined,
  round: Round | null | undefined,
): FeedPrice | null {
  if (decimals == null || round == null) return null
  const { pair, address: source, heartbeat_seconds: heartbeatSeconds, deviation_bps: deviationBps = null } = feed
  return { pair, decimals, heartbeatSeconds, deviationBps, source, ...roundFields(round) }
}

/** A feed may return any number: an invalid time counts as 1970, so the price is stale. */
function dateOf(seconds: bigint): Date {
  return new Date(seconds > 8_640_000_000_000n ? 0 : Number(seconds) * 1_000)
}

/**
 * The feed's price, at a block where one is named; FAILED_PRECONDITION where it is not above zero, null where the chain
 * has no such feed.
 */
export async function readPrice(connection: Connection, pair: string, at?: bigint): Promise<FeedPrice | null> {
  const { feeds, name } = connection.deployment
  if (feeds.every((feed) => feed.pair !== pair)) return null
  const view = await connection.view()
  const latest = (await view.once('feeds', () => readFeeds(connection))).get(pair)
  const price = latest == null || at === undefined ? latest : await inForce(connection, latest, at)
  if (price == null)
    throw new DomainError('UNAVAILABLE', `The feed ${pair} of ${name} does not respond. Try again later.`)
  if (price.answer > 0n) return price
  throw new DomainError('FAILED_PRECONDITION', `The feed ${pair} of ${name} has no valid price now. Try again later.`)
}

/** The price that was in force at a block. That of the newest block, or from before the block, takes no call for rounds. */
async function inForce(connection: Connection, latest: FeedPrice, at: bigint): Promise<FeedPrice> {
  const { block, once } = await connection.view()
  if (at >= block.number) return latest
  const found = await once(`time ${at}`, () => readBlock(connection.call, at))
  const time = found === null ? null : BigInt(found.timestamp)
  if (time === null || secondsOf(latest.updatedAt) <= time) return latest
  const { source, roundId, answer, answeredInRound } = latest
  const newest: Round = [roundId, answer, secondsOf(latest.startedAt), secondsOf(latest.updatedAt), answeredInRound]
  const round = await once(`round ${source} ${time}`, () => roundAt(connection, source, newest, time))
  return { ...latest, ...roundFields(round) }
}

function roundFields([roundId, answer, startedAt, updatedAt, answeredInRound]: Round) {
  return { answer, updatedAt: dateOf(updatedAt), startedAt: dateOf(startedAt), roundId, answeredInRound }
}

function secondsOf(date: Date): bigint {
  return BigInt(Math.floor(date.getTime() / 1_000))
}
