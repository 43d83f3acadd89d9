import type { Door } from '../sayable.ts'

/** One case: what is asked of an operation over a protocol, and what must come of it. */
export type Check = {
  /** The operation, or what of a protocol is asked. */
  id: string
  door: Door
  /** The rule that it is a case of, such as `refuses: too long`. */
  rule: string
  name: string
  /** Cases of one lane run one after the other: they draw on one rate of one account. */
  lane: string
  /** Cases that end the tokens or the account of their lane run last. */
  isLast?: boolean
  /** Why it is left out, by the options or because it would harm others; nothing is sent then. */
  leftOut?: string
  /** Rejects with `Mismatch` where the gateway is at fault, with `NotJudged` where nothing can be said. */
  judge(): Promise<void>
}

/** What a gateway did, and what it had to do. */
export class Mismatch extends Error {}

/** A case that could not be asked. */
export class NotJudged extends Error {}

/** Throws a `Mismatch` with the sentence unless the condition holds. */
export function must(holds: boolean, otherwise: () => string): void {
  if (!holds) throw new Mismatch(otherwise())
}

/** A value as a sentence shows it, cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 600 ? `${text.slice(0, 600)} …` : text
}
