/** Prices stand still, so that tests can name them; TEST_MARKET=moving lets them move. */
export const testMarket = { SANDBOX_MARKET: process.env.TEST_MARKET ?? 'still' } as const
