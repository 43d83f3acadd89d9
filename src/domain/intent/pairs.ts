import type { Mention } from './mentions.ts'
import type { Word } from './words.ts'

const arrows = ['to', 'into', '→', '- >', '= >', '>']
const between = new Set('some my more a an the your'.split(' '))

/** The sides of the first `weth to usdc`, `weth into 500 usdc` or `weth → usdc`, whatever the verb before says; or null. */
export function pairOf(
  words: readonly Word[],
  tokens: readonly Mention[],
): { tokenIn: Mention; tokenOut: Mention } | null {
  for (const [index, tokenIn] of tokens.entries()) {
    const tokenOut = tokens[index + 1]
    if (tokenOut === undefined || tokenOut.name === tokenIn.name || tokenOut.at - tokenIn.next > 5) continue
    const said = words.slice(tokenIn.next, tokenOut.at)
    const arrow = said.filter(({ kind, lower }) => kind !== 'number' && !between.has(lower)).map(({ lower }) => lower)
    if (arrows.includes(arrow.join(' '))) return { tokenIn, tokenOut }
  }
  return null
}
