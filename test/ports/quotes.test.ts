import { expect, test } from 'vitest'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { openMessages } from '../../src/adapters/storage/chat/messages.ts'
import { openOffers } from '../../src/adapters/storage/chat/offers.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { QuoteUseEntity } from '../../src/adapters/storage/entities/trading.ts'
import { openQuotes } from '../../src/adapters/storage/trading/quotes.ts'
import type { StoredQuote } from '../../src/domain/ports/trades.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at } from './rows.ts'

const quoteOf = (userId: number): StoredQuote => ({
  id: crypto.randomUUID(),
  userId,
  chainId: Number.MAX_SAFE_INTEGER,
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  amountIn: 2n ** 256n - 1n,
  requestedAmount: '0.5 token_units',
  expectedOut: 1n,
  transferTaxBps: 250,
  spotOut: 2n ** 200n,
  slippageBps: 50,
  priceImpactBps: 7,
  gasEstimate: 142_318n,
  route: { venue: 'uniswap_v3', tokens: ['0x1', '0x2'], feePips: [500], pools: ['0x3'] },
  expiresAt: new Date(at.getTime() + 30_000),
  createdAt: at,
})

eachDatabase('quotes', (open) => {
  test('are read as they were stored, after a restart too', async () => {
    const database = await open()
    const quote = quoteOf(await addAccount(database))
    await openQuotes(database).save(quote)
    expect(await openQuotes(database).find(quote.userId, quote.id)).toEqual(quote)
    expect(await openQuotes(await open.restart()).find(quote.userId, quote.id)).toEqual(quote)
  })

  test('are found by their own account alone', async () => {
    const database = await open()
    const quotes = openQuotes(database)
    const quote = quoteOf(await addAccount(database, 1))
    await quotes.save(quote)
    expect(await quotes.find(await addAccount(database, 2), quote.id)).toBeNull()
    expect(await quotes.find(quote.userId, 'no such quote')).toBeNull()
  })

  test('are forgotten with their use once they ran out before the moment', async () => {
    const database = await open()
    const quotes = openQuotes(database)
    const quote = quoteOf(await addAccount(database))
    const uses = async () => await database.tables.count(QuoteUseEntity, { quoteId: quote.id })
    await quotes.save(quote)
    await database.tables.insert(QuoteUseEntity, { quoteId: quote.id, executionId: 'execution' })
    expect(await quotes.purge(quote.expiresAt, 9)).toBe(0)
    expect(await quotes.find(quote.userId, quote.id)).toEqual(quote)
    expect(await uses()).toBe(1)
    expect(await quotes.purge(new Date(quote.expiresAt.getTime() + 1), 9)).toBe(1)
    expect(await quotes.find(quote.userId, quote.id)).toBeNull()
    expect(await uses()).toBe(0)
  })
})

eachDatabase('shown quotes', (open) => {
  async function answering(database: Database, sessionId: string): Promise<string> {
    const id = crypto.randomUUID()
    expect(await openChatStreams(database).open({ id, sessionId, messages: [], at }, 0)).toBe('running')
    return id
  }

  /** An account with two sessions, and quotes that the first one was shown. */
  async function shown(quotes: number) {
    const database = await open()
    const userId = await addAccount(database)
    const [sessionId, other] = [await addSession(database, userId), await addSession(database, userId)]
    const offers = openOffers(database)
    const answerId = await answering(database, sessionId)
    const made = Array.from({ length: quotes }, () => quoteOf(userId))
    for (const quote of made) {
      await openQuotes(database).save(quote)
      await offers.save({ quoteId: quote.id, walletRef: null, offeredAt: at }, answerId)
    }
    return { database, offers, sessionId, other, ids: made.map(({ id }) => id) }
  }

  test('are known to the session that was shown them, after a restart too', async () => {
    const { offers, sessionId, other, ids } = await shown(2)
    const [first = '', second = ''] = ids
    const kept = { quoteId: first, sessionId, walletRef: null, offeredAt: at }
    expect(await offers.find(sessionId, first)).toEqual(kept)
    expect(await offers.find(other, first)).toBeNull()
    expect(await offers.since(other, at)).toEqual([])
    expect((await offers.since(sessionId, at)).map(({ quoteId }) => quoteId)).toEqual([first, second])
    expect(await offers.since(sessionId, new Date(at.getTime() + 1))).toEqual([])
    expect(await offers.find(sessionId, 'no such quote')).toBeNull()
    expect(await openOffers(await open.restart()).find(sessionId, second)).toEqual({ ...kept, quoteId: second })
  })

  test('are forgotten with the history and with the quote', async () => {
    const { database, offers, sessionId, other, ids } = await shown(3)
    const [first = ''] = ids
    await openMessages(database).clear(other)
    expect(await offers.find(sessionId, first)).not.toBeNull()
    await openQuotes(database).purge(new Date(at.getTime() + 60_000), 1)
    expect(
      (await Promise.all(ids.map((id) => offers.find(sessionId, id)))).filter((found) => found === null),
    ).toHaveLength(1)
    await openMessages(database).clear(sessionId)
    expect(await offers.since(sessionId, at)).toEqual([])
  })

  test('are not stored for an answer that has ended or was cleared', async () => {
    const { database, offers, sessionId, other, ids } = await shown(1)
    const [quoteId = ''] = ids
    await openMessages(database).clear(sessionId)
    const [cleared, over] = [await answering(database, sessionId), await answering(database, other)]
    await openMessages(database).clear(sessionId)
    await openChatStreams(database).finish(over, { state: 'done', at })
    for (const answerId of [cleared, over]) await offers.save({ quoteId, walletRef: null, offeredAt: at }, answerId)
    expect(await offers.find(sessionId, quoteId)).toBeNull()
    expect(await offers.find(other, quoteId)).toBeNull()
  })

  test('go with their session', async () => {
    const { database, offers, sessionId, other, ids } = await shown(1)
    const [quoteId = ''] = ids
    await openSessions(database).delete(sessionId)
    expect(await offers.find(sessionId, quoteId)).toBeNull()
    await offers.save({ quoteId, walletRef: 'savings', offeredAt: at }, await answering(database, other))
    expect(await offers.find(other, quoteId)).toMatchObject({ quoteId, walletRef: 'savings' })
  })
})
