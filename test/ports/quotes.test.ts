import { expect, test } from 'vitest'
import { QuoteUseEntity } from '../../src/adapters/storage/entities/trading.ts'
import { openQuotes } from '../../src/adapters/storage/quotes.ts'
import type { StoredQuote } from '../../src/domain/ports/trades.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

const quoteOf = (userId: number): StoredQuote => ({
  id: crypto.randomUUID(),
  userId,
  chainId: Number.MAX_SAFE_INTEGER,
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  amountIn: 2n ** 256n - 1n,
  asked: '0.5 token_units',
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
  test('come back as they were kept, after a restart too', async () => {
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
    const uses = async () => await database.fork().count(QuoteUseEntity, { quoteId: quote.id })
    await quotes.save(quote)
    await database.fork().insert(QuoteUseEntity, { quoteId: quote.id, executionId: 'execution' })
    expect(await quotes.purge(quote.expiresAt, 9)).toBe(0)
    expect(await quotes.find(quote.userId, quote.id)).toEqual(quote)
    expect(await uses()).toBe(1)
    expect(await quotes.purge(new Date(quote.expiresAt.getTime() + 1), 9)).toBe(1)
    expect(await quotes.find(quote.userId, quote.id)).toBeNull()
    expect(await uses()).toBe(0)
  })
})
