import { z } from 'zod'

/** Tokens that a total in US dollars leaves out. */
export const unpriced = z
  .array(z.string())
  .describe('Symbols of held tokens without a feed, or with a feed older than its heartbeat; the total leaves them out')
