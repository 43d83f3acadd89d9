/** Prices stand still, so that tests can name them; TEST_MARKET=moving lets them move. */
export const testMarket = { SANDBOX_MARKET: process.env.TEST_MARKET ?? 'still' } as const

/** The same for a sandbox that a test opens itself. */
export const testedMarket = { mode: process.env.TEST_MARKET === 'moving' ? 'moving' : 'still', speed: 1 } as const
