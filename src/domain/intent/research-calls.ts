import { stemOf, wordsOf } from './reading/words.ts'
import type { Slots } from './slots.ts'

/** A call of a tool of the TVL provider. */
export type ResearchCall = { tool_name: string; arguments: Record<string, unknown> }

/** The most calls for one text. */
const mostCalls = 6
/** The most rows of a list in a chat. */
const limit = 5
const dayMs = 86_400_000

const topics = {
  yields: stems('yield apy apr earn interest lend lending return staking stake farming reward opportunity'),
  pools: stems('pool liquidity depth pair'),
  protocols: stems('protocol dex dexes app dapp project competitor'),
  history: stems('history historical trend grow growth change developed over since chart'),
  chains: stems('chain chains l2 network rollup'),
}

/**
 * The calls of the TVL provider that answer a text: one for each protocol, chain and token that it names, by its topic;
 * where it names nothing, an overview of the default chain.
 */
export function researchCalls(text: string, slots: Slots, defaultChain: string, now: Date): ResearchCall[] {
  const stemsOfText = new Set(wordsOf(text).map(({ lower }) => stemOf(lower)))
  const about = (topic: ReadonlySet<string>) => [...topic].some((word) => stemsOfText.has(word))
  const days = slots.since === null ? null : Math.ceil((now.getTime() - Date.parse(slots.since)) / dayMs)
  const back = { days: Math.min(3_650, Math.max(1, days ?? 30)) }
  const overTime = days !== null || about(topics.history)
  const call = (tool_name: string, given: Record<string, unknown>) => ({ tool_name, arguments: given })
  const chains = slots.chains.length > 0 ? slots.chains : null
  const ofChain = (chain: string) => [
    ...(about(topics.yields) ? [call('yields_top', { chain, limit, min_tvl_usd: 0 })] : []),
    ...(about(topics.pools) ? [call('pools_list', { chain, limit })] : []),
    ...(about(topics.protocols) ? [call('protocols_list', { chain, limit })] : []),
  ]
  const named = [
    ...slots.protocols.map((name) => {
      const protocol = name.replace('_', '-')
      return overTime ? call('protocol_history', { protocol, ...back }) : call('protocol_get', { protocol })
    }),
    ...(chains ?? []).flatMap((chain) => [
      overTime ? call('chain_history', { chain, ...back }) : call('tvl_get', { chain }),
      ...ofChain(chain),
    ]),
    ...slots.tokens.map((token) => call('token_price', { token })),
  ]
  if (named.length > 0) return [...named, ...(chains === null ? ofChain(defaultChain) : [])].slice(0, mostCalls)
  if (about(topics.chains)) return [call('chains_list', { limit })]
  const topical = ofChain(defaultChain)
  return [
    call('tvl_get', { chain: defaultChain }),
    ...(topical.length > 0 ? topical : [call('pools_list', { chain: defaultChain, limit })]),
  ]
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(stemOf))
}
