import type { Findings } from '../ports/assistant.ts'

/** The findings in sentences. Every figure is a source's own, and failed parts are named. */
export function summaryOf({
  graph_data: graph,
  analytics_rows: rows,
  defi_results: results = [],
  parts,
}: Findings): string {
  const by = (part: string) => parts.find((one) => one.part === part)?.source ?? 'its source'
  const sentences = [
    ...(graph === undefined ? [] : [`${by('graph_data')} returned ${fieldsOf(graph.data)}.`]),
    ...(rows === undefined ? [] : [rowsSentence(by('analytics_rows'), rows)]),
    ...results.flatMap(({ tool, result }, index) =>
      'error' in result && Object.keys(result).length === 1
        ? []
        : [`${toolSentence(tool, result)} (${by(`defi_results.${index}`)}).`],
    ),
    ...parts.filter(({ state }) => state !== 'ok').map(({ part, message }) => `${part} is missing: ${message ?? ''}`),
  ]
  return sentences.join(' ')
}

function rowsSentence(source: string, rows: readonly Record<string, unknown>[]): string {
  const [first] = rows
  if (first === undefined) return `${source} returned no rows.`
  return `${source} returned ${counted(rows.length, 'row')}, the first with ${fieldList(first)}.`
}

function toolSentence(tool: string, result: Record<string, unknown>): string {
  const made = result.synthetic === true ? ' by synthetic figures' : ''
  const { tvl_usd: tvl, price_usd: price, pools, history, tvl_usd_by_chain: byChain } = result
  if (typeof tvl === 'number')
    return `${name(result.chain ?? result.protocol ?? 'All chains')} holds ${dollars(tvl)}${made}`
  if (typeof price === 'number') return `One ${name(result.symbol)} costs ${dollars(price)}`
  if (Array.isArray(pools) && typeof pools[0]?.tvl_usd === 'number')
    return `The first of ${counted(pools.length, 'pool')} is ${name(pools[0].symbol)} with ${dollars(pools[0].tvl_usd)}${yieldOf(pools[0])}`
  if (Array.isArray(history) && history.length > 0)
    return `${name(result.chain ?? result.protocol)} went from ${dayOf(history[0])} to ${dayOf(history.at(-1))}${made}`
  if (typeof byChain === 'object' && byChain !== null)
    return `${name(result.name)} holds ${Object.entries(byChain).slice(0, 5).map(worthOn).join(', ')}${made}`
  return `${tool} returned ${fieldsOf(result)}`
}

function yieldOf({ apy_percent: apy }: Record<string, unknown>): string {
  return typeof apy === 'number' ? `, yielding ${apy.toFixed(2)} % a year` : ''
}

function dayOf({ tvl_usd: usd, date }: Record<string, unknown>): string {
  return `${dollars(Number(usd))} on ${name(date)}`
}

function worthOn([chain, usd]: [string, unknown]): string {
  return `${dollars(Number(usd))} on ${name(chain)}`
}

function fieldsOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return 'nothing'
  const fields = Object.entries(data).slice(0, 8)
  const words = fields.map(([key, value]) => (Array.isArray(value) ? `${counted(value.length, 'row')} of ${key}` : key))
  return words.length === 0 ? 'nothing' : words.join(', ')
}

function fieldList(row: Record<string, unknown>): string {
  return Object.entries(row)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .slice(0, 6)
    .map(([key, value]) => `${key} ${name(value)}`)
    .join(', ')
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** A provider's text, cut to a length that leaves room for the rest. */
function name(value: unknown): string {
  return String(value).slice(0, 80)
}

function dollars(usd: number): string {
  for (const [size, word] of sizes) if (Math.abs(usd) >= size) return `${(usd / size).toFixed(2)} ${word} USD`
  return `${usd.toFixed(usd >= 1 ? 2 : 6)} USD`
}

const sizes = [
  [1e9, 'billion'],
  [1e6, 'million'],
] as const
