import type { Figure } from './figures.ts'

/** Measures one thing; `sizes` replace the default ones. */
export type Bench = (sizes: readonly number[]) => Promise<Figure[]>
