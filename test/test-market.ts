/** Prices stand still, so that tests can name them; TEST_MARKET=moving lets them move. */
const mode = process.env.TEST_MARKET === 'moving' ? 'moving' : 'still'

export const testMarket = { SANDBOX_MARKET: mode } as const

/** The same for a sandbox that a test opens itself. */
export const testedMarket = { mode, speed: 1 } as const
