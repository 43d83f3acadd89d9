import type { Figure } from './figures.ts'

/** Measures one thing; `sizes` are what the caller asked for in place of the ones by default. */
export type Bench = (sizes: readonly number[]) => Promise<Figure[]>
