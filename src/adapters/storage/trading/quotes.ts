import type { Hex, Route } from '../../../domain/ports/chains.ts'
import type { Quotes, StoredQuote } from '../../../domain/ports/trades.ts'
import type { AuditEntry } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import type { Tables } from '../connection/tables.ts'
import { QuoteEntity, type QuoteRow } from '../entities/quotes.ts'
import { QuoteUseEntity } from '../entities/trading.ts'

/** Quotes in the database. */
export function openQuotes(database: Database): Quotes {
  return {
    async save(quote) {
      await database.tables.insert(QuoteEntity, rowOf(quote))
    },
    async find(userId, quoteId) {
      const row = await database.tables.findOne(QuoteEntity, { id: quoteId, userId })
      return row === null ? null : quoteOf(row)
    },
    async purge(before, limit) {
      const page = { orderBy: { expiresAt: 'asc' }, fields: ['id'], limit } as const
      const old = await database.tables.find(QuoteEntity, { expiresAt: { $lt: before } }, page)
      if (old.length === 0) return 0
      const ids = old.map(({ id }) => id)
      await database.transaction(async (tables) => {
        await tables.delete(QuoteUseEntity, { quoteId: ids })
        await tables.delete(QuoteEntity, { id: ids })
      })
      return ids.length
    },
  }
}

/** What the audit log has of a quote that a trade uses: all that it showed. Null where the quote is gone. */
export async function auditOfQuote(tables: Tables, quoteId: string): Promise<AuditEntry | null> {
  const row = await tables.findOne(QuoteEntity, quoteId)
  if (row === null) return null
  const { route, ...quote } = row
  const facts = {
    chain_id: quote.chainId,
    token_in: quote.tokenIn,
    token_out: quote.tokenOut,
    amount_in: quote.amountIn,
    expected_out: quote.expectedOut,
    spot_out: quote.spotOut,
    slippage_bps: quote.slippageBps,
    price_impact_bps: quote.priceImpactBps,
    transfer_tax_bps: quote.transferTaxBps ?? null,
    gas_estimate: quote.gasEstimate,
    route: JSON.parse(route),
    quoted_at: quote.createdAt.toISOString(),
    expires_at: quote.expiresAt.toISOString(),
  }
  return { kind: 'quote', subject: quoteId, facts }
}

function rowOf(quote: StoredQuote) {
  const { amountIn, expectedOut, spotOut, gasEstimate, route, ...fields } = quote
  return {
    ...fields,
    amountIn: `${amountIn}`,
    expectedOut: `${expectedOut}`,
    spotOut: `${spotOut}`,
    gasEstimate: `${gasEstimate}`,
    route: JSON.stringify(route),
  }
}

function quoteOf(row: Omit<QuoteRow, 'userId'> & { userId: number }): StoredQuote {
  return {
    id: row.id,
    userId: row.userId,
    chainId: row.chainId,
    // `rowOf` wrote these texts from values of these types.
    tokenIn: row.tokenIn as Hex,
    tokenOut: row.tokenOut as Hex,
    amountIn: BigInt(row.amountIn),
    requestedAmount: row.requestedAmount,
    expectedOut: BigInt(row.expectedOut),
    spotOut: BigInt(row.spotOut),
    slippageBps: row.slippageBps,
    priceImpactBps: row.priceImpactBps,
    transferTaxBps: row.transferTaxBps ?? null,
    gasEstimate: BigInt(row.gasEstimate),
    route: JSON.parse(row.route) as Route,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
  }
}
