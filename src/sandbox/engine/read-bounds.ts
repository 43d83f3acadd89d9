/** What one read that runs code may cost: the gas of its calls together, and the seconds of its run. */
export type ReadBounds = { gas: number; seconds: number }
