import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openChatStreams } from '../../src/adapters/storage/chat/chat-streams.ts'
import { type Database, openDatabase, sqliteFile } from '../../src/adapters/storage/connection/database.ts'
import { openExecutions } from '../../src/adapters/storage/trading/executions.ts'
import { openQuotes } from '../../src/adapters/storage/trading/quotes.ts'
import { rateRules } from '../../src/contract/shared/limits.ts'
import type { AnswerFacts } from '../../src/domain/ports/trades.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { addAccount, addSession } from '../ports/rows.ts'
import { executionOf } from '../ports/trade-rows.ts'
import { figures } from './figures.ts'

const accounts = 10
const minutes = 60
const storageMb = 10
/**
 * What an account may take on the disk after the hour, in MiB: its chats with the indexes, 6,000 quotes, and 600 refused
 * trades with their log.
 */
const mostMb = 1.3 * storageMb + 10

/** The texts of one chat: as much as a request can carry. */
const longest = Array.from({ length: 100 }, () => ({ role: 'user' as const, content: 'm'.repeat(7_900) }))
const risk = { level: 'high', aggregate_score: 91, flags: ['price_impact', 'low_liquidity'] } as unknown
const facts = { risk } as AnswerFacts

/** One minute of an account that writes as fast as its rates allow. Returns how many chats were refused. */
async function minuteOf(database: Database, userId: number, sessionId: string, at: Date): Promise<number> {
  const streams = openChatStreams(database, 500, storageMb * 1_048_576)
  const [quotes, executions] = [openQuotes(database), openExecutions(database)]
  let refused = 0
  for (let chat = 0; chat < rateRules.chat.limit; chat += 1) {
    const id = crypto.randomUUID()
    const opened = await streams.open({ id, sessionId, messages: longest, at }, 0).catch(({ code }) => code as string)
    if (opened === 'running') {
      await streams.append(id, { seq: 1, content: 'a'.repeat(2_000), facts: null })
      await streams.finish(id, { state: 'done', at })
    } else {
      expect(opened).toBe('STORAGE_FULL')
      refused += 1
    }
  }
  for (let quote = 0; quote < rateRules.default.limit; quote += 1) await quotes.save(quoteOf(userId, at))
  for (let trade = 0; trade < rateRules.execute.limit; trade += 1) {
    const fields = { idempotencyKey: crypto.randomUUID(), createdAt: at, updatedAt: at }
    const { execution } = await executions.begin(executionOf(userId, fields))
    await executions.move(execution, [{ move: moveOf('requested', 'simulated'), change: { facts, updatedAt: at } }])
    await executions.discard(execution.id, 'Nothing was traded. The risk is too high for the thresholds.')
  }
  return refused
}

const token = '0x4200000000000000000000000000000000000006' as const

function quoteOf(userId: number, at: Date) {
  return {
    ...{ id: crypto.randomUUID(), userId, chainId: 84_532, tokenIn: token, tokenOut: token, amountIn: 10n ** 18n },
    ...{ requestedAmount: '1 token_units', expectedOut: 2n ** 80n, spotOut: 2n ** 80n, slippageBps: 50 },
    ...{ priceImpactBps: 7, transferTaxBps: null, gasEstimate: 142_318n, createdAt: at },
    route: { venue: 'uniswap_v3', tokens: [token, token, token], feePips: [500, 500], pools: [token, token] },
    expiresAt: new Date(at.getTime() + 30_000),
  } as const
}

test('ten accounts that write for an hour as fast as they may stay within their storage', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-growth-'))
  try {
    await using database = await openDatabase({ url: null, dataDir })
    const users = await Promise.all(Array.from({ length: accounts }, (_, index) => addAccount(database, index + 1)))
    const sessions = await Promise.all(users.map(async (user) => await addSession(database, user)))
    let refused = 0
    for (let minute = 0; minute < minutes; minute += 1) {
      const at = new Date(Date.UTC(2026, 2, 1, 10, minute))
      for (const [index, user] of users.entries()) refused += await minuteOf(database, user, sessions[index]!, at)
    }
    await database.fork().getConnection().execute('pragma wal_checkpoint(truncate)')
    const megabytes = statSync(sqliteFile(dataDir)).size / 1_048_576
    const each = Math.round(megabytes / accounts)
    figures('an hour of ten accounts', { 'MiB each': each, 'most MiB': mostMb, 'chats refused': refused })
    expect(refused).toBeGreaterThan(accounts)
    expect(each).toBeLessThan(mostMb)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 600_000)
