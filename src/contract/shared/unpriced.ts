import { z } from 'zod'

/** What a total in US dollars leaves out. */
export const unpriced = z
  .array(z.string())
  .describe(
    'Symbols of tokens held that no feed prices, or only one older than its heartbeat; the total is without them',
  )
