import { setTimeout as sleep } from 'node:timers/promises'
import type { Script } from './world.ts'

/** The question to which `slowly` responds with so many pieces; the seed makes answers differ. */
export function questionOf(seed: number, pieces: number): string {
  return `write ${seed} ${pieces}`
}

/** Sends one piece, then nothing until it is stopped. */
export const silence = 'hold 0 1'

/** The pieces of the answer to a question. */
export function piecesOf(question: string): string[] {
  const [, seed = '', pieces = '0'] = question.split(' ')
  return Array.from({ length: Number(pieces) }, (_, index) => `${seed}.${index} `)
}

/** Writes an answer piece by piece, with pauses, some of them long enough to disconnect and resume. */
export const slowly: Script = async function* ({ text, signal }) {
  for (const [index, piece] of piecesOf(text).entries()) {
    await sleep(index % 5 === 4 ? 25 : 3, undefined, { signal })
    yield piece
  }
  if (text === silence) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
