import { z } from 'zod'

const text = z.string().max(500)
const synthetic = z.boolean().default(false)
/** Null where it is not a number: the row is then left out, for 0 would be a figure. */
const dollars = z.number().nullable().catch(null)
/** Seconds since 1970, as a number or in digits; later than any calendar date is refused. */
const moment = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(4e9))
  .transform((seconds) => new Date(Math.round(seconds * 1_000)))

/** Responses of the TVL provider, in the format of DefiLlama. */
export const wire = {
  chains: z
    .array(z.object({ name: text, chainId: z.coerce.number().int().nullish().catch(null), tvl: dollars, synthetic }))
    .max(5_000),
  daily: z.array(z.object({ date: moment, tvl: dollars })).max(20_000),
  protocols: z
    .array(
      z.object({
        slug: text,
        name: text,
        category: text.nullish(),
        chains: z.array(text).default([]),
        tvl: dollars,
        synthetic,
      }),
    )
    .max(50_000),
  protocol: z.object({
    name: text,
    category: text.nullish(),
    chains: z.array(text).default([]),
    currentChainTvls: z.record(z.string(), dollars).default({}),
    tvl: z
      .array(z.object({ date: moment, totalLiquidityUSD: dollars }))
      .max(20_000)
      .default([]),
    synthetic,
  }),
  protocolTvl: z.number(),
  prices: z.object({
    coins: z.record(
      z.string(),
      z.object({ symbol: text.default(''), price: dollars, timestamp: moment, confidence: z.number().nullish() }),
    ),
  }),
  pools: z.object({
    status: z.literal('success').optional(),
    data: z
      .array(
        z.object({
          pool: text,
          chain: text,
          project: text,
          symbol: text,
          tvlUsd: dollars,
          apy: dollars,
          volumeUsd1d: dollars,
          synthetic,
        }),
      )
      .max(100_000),
  }),
}
