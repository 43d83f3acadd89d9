import type { Hex, Leg } from '../../src/domain/ports/chains.ts'
import type { Execution } from '../../src/domain/ports/trades.ts'
import { at } from './rows.ts'

/** The sender. */
export const from: Hex = '0xAbCdef0000000000000000000000000000000001'
/** An approval and a swap. */
export const legs: readonly Leg[] = [
  { kind: 'approve', call: { to: from, data: '0x01', value: 0n }, gas: 50_000n },
  { kind: 'swap', call: { to: from, data: '0x02', value: 2n ** 200n }, gas: 150_000n },
]
/** The time so many seconds after `at`. */
export const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)

/** A trade that was just requested. */
export function executionOf(userId: number, change: Partial<Execution> = {}): Execution {
  return {
    id: crypto.randomUUID(),
    userId,
    idempotencyKey: 'key',
    fingerprint: 'print',
    chainId: 84_532,
    walletRef: 'default',
    walletAddress: from,
    agent: 'trading_team',
    quoteId: null,
    sessionId: null,
    awaitedRequest: null,
    tokenIn: '0x01',
    tokenOut: '0x02',
    amountIn: 2n ** 255n,
    expectedOut: null,
    minimumOut: null,
    route: null,
    valueUsd: null,
    state: 'requested',
    step: 1,
    facts: null,
    basis: null,
    message: '',
    transactionHash: null,
    amountOut: null,
    gasUsed: null,
    feeWei: null,
    blockNumber: null,
    filledAt: null,
    createdAt: at,
    updatedAt: at,
    ...change,
  }
}
