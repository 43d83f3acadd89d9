/**
 * The position of a reader in a market: how many events it received, the id of the last trade, and the opening time of
 * the last closed candle in milliseconds; null before the first one. It is part of each event's id, so that nothing else
 * has to store it.
 */
export type MarketPosition = { sequence: number; trade: number | null; candle: number | null }

export const marketStart: MarketPosition = { sequence: 0, trade: null, candle: null }

/** The id of the event that leads to a position. */
export function marketEventId(subscriptionId: string, { sequence, trade, candle }: MarketPosition): string {
  return [subscriptionId, sequence, trade ?? '-', candle ?? '-'].join(':')
}

/** The position after an event; null where the id is not one of the subscription's. */
export function parseMarketCursor(subscriptionId: string, eventId: string): MarketPosition | null {
  const match = /^([0-9a-f-]{36}):(\d{1,15}):(\d{1,15}|-):(\d{1,14}|-)$/.exec(eventId)
  if (match === null || match[1] !== subscriptionId) return null
  const number = (text = '-') => (text === '-' ? null : Number(text))
  return { sequence: Number(match[2]), trade: number(match[3]), candle: number(match[4]) }
}
