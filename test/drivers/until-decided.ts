import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Sends the same order, with its idempotency key, until its trade is decided, and returns the trade. `send` returns null
 * where there was no response to use. Null where `wanted` becomes false first.
 */
export async function untilDecided<Trade extends { status: string }>(
  send: () => Promise<Trade | null>,
  { pauseMs = 200, wanted = () => true }: { pauseMs?: number; wanted?: () => boolean } = {},
): Promise<Trade | null> {
  for (; wanted(); await sleep(pauseMs)) {
    const trade = await send()
    if (trade !== null && trade.status !== 'pending') return trade
  }
  return null
}
