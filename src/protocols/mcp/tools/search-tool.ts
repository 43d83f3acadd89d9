import type { AgentTool } from '../../../contract/agents/tool.ts'
import { agentTools } from '../../../contract/agents/tools.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import { fitting } from './answer.ts'
import { allNamed } from './named.ts'
import type { Tool } from './run.ts'

/** Words that people use for what has another name here. */
const synonyms: Record<string, string> = {
  trade: 'swap buy sell exchange',
  quote: 'price swap',
  profit: 'pnl earnings gain loss',
  positions: 'balance holdings portfolio',
  executions: 'history orders trades',
  bridge_status: 'deposit withdrawal',
  research: 'subgraph analytics defi',
  klines_list: 'ohlc chart',
  depth_get: 'orderbook order book',
  yields_top: 'apy apr',
  'trading.getWalletPolicy': 'limits caps spending',
  eth_getLogs: 'events transfers approvals',
}

/** Everything that an agent can call, with the words of its name and its summary. A tool is called by itself. */
const index = [...ownTools(), ...allNamed].map((found) => ({
  found,
  ofName: new Set(wordsOf(found.name)),
  ofSummary: new Set(wordsOf(`${found.summary} ${synonyms[found.name] ?? ''}`)),
}))

function ownTools() {
  return Object.entries<AgentTool>(agentTools).map(([name, { description, input }]) => ({
    name,
    tool: name,
    summary: description,
    input: () => schemaOf(input),
  }))
}

export const searchOperations: Tool<'search_operations'> = async ({ query, limit }) => {
  const weights = new Map(wordsOf(query).map((word) => [word, weightOf(word)]))
  const best = index
    .map(({ found, ofName, ofSummary }) => ({ found, score: scoreOf(weights, ofName, ofSummary) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
  const rows = best.map(({ found: { name, tool, summary, input } }) => ({ name, tool, summary, input: input() }))
  return { found: fitting(rows, 0).shown, ...(rows.length === 0 ? { hint: noneFound } : {}) }
}

const noneFound =
  'Nothing has these words. Try one of: price, candles, pools, yield, wallet, policy, receipt, block, oracle.'

/** The words of a text without their plural; `getBlockByNumber` has three. */
function wordsOf(text: string): string[] {
  const spaced = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (spaced.match(/[a-z0-9]{3,}/g) ?? []).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}

/** A word that few of the names and summaries have says more than one that many have. */
function weightOf(word: string): number {
  const having = index.filter(({ ofName, ofSummary }) => ofName.has(word) || ofSummary.has(word)).length
  return having === 0 ? 0 : Math.log((index.length + 1) / having)
}

/** The weights of the words that a name or a summary has; those of a name count half as much again. */
function scoreOf(weights: ReadonlyMap<string, number>, ofName: Set<string>, ofSummary: Set<string>): number {
  let score = 0
  for (const [word, weight] of weights) score += weight * (ofName.has(word) ? 1.5 : ofSummary.has(word) ? 1 : 0)
  return score
}
