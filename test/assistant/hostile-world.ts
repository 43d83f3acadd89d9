import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPublicClient, custom, getContractAddress, parseAbi, type Hex as ViemHex } from 'viem'
import { createAnalytics } from '../../src/adapters/providers/analytics.ts'
import { createHttpProvider } from '../../src/adapters/providers/http.ts'
import { createSubgraphs } from '../../src/adapters/providers/subgraphs.ts'
import { createTvlFeed } from '../../src/adapters/providers/tvl.ts'
import type { Assistant, AssistantRequest } from '../../src/domain/ports/assistant.ts'
import type { Chains, Hex, Token } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { ownArtifact, withArguments } from '../../src/sandbox/deploy/artifacts.ts'
import { chainId, treasury, until } from '../../src/sandbox/fixtures/testing.ts'
import type { TradingWorld } from '../trading/world.ts'

/** Deploys a real token with a chosen name and symbol, and returns it as the chain reports it. */
export async function deployToken(world: Pick<TradingWorld, 'request'>, title: string): Promise<Token> {
  const client = createPublicClient({ transport: custom(world) })
  const nonce = await client.getTransactionCount({ address: treasury.address, blockTag: 'pending' })
  const types = 'string, string, uint8, address, address, address[], uint256[]'
  const values = [title, title, 18, treasury.address, treasury.address, [treasury.address], [10n ** 24n]]
  const data = withArguments(ownArtifact('SandboxToken').bytecode, types, values)
  const fees = { gas: 6_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  const raw = await treasury.signTransaction({ type: 'eip1559', chainId, nonce, data, ...fees })
  await world.request({ method: 'eth_sendRawTransaction', params: [raw] })
  const address = getContractAddress({ from: treasury.address, nonce: BigInt(nonce) })
  await until(async () => (await client.getCode({ address })) !== undefined, 'the token')
  const abi = parseAbi(['function symbol() view returns (string)'])
  const symbol = await client.readContract({ address: address as ViemHex, abi, functionName: 'symbol' })
  return { symbol, address: address as Hex, decimals: 18, usdFeed: null }
}

/** The chains with one more token on the default chain's list, as an operator's table may have it. */
export function listing(chains: Chains, token: Token): Chains {
  const { info } = chains.default
  const listed = { ...chains.default, info: { ...info, tokens: [...info.tokens, token] } }
  return { all: [listed], default: listed, find: (id) => (id === info.id ? listed : null) }
}

/** Real clients of providers whose responses the test sets. */
export async function openHostileProviders() {
  const received = { subgraph: '', analytics: '', tvl: '' }
  const server = createServer((request, response) => {
    const { subgraph, analytics, tvl } = received
    const answers: [RegExp, unknown][] = [
      [/subgraph/, { data: { pools: [{ name: subgraph }] } }],
      [/execute$/, { execution_id: 'run', state: 'QUERY_STATE_PENDING' }],
      [/results/, { state: 'QUERY_STATE_COMPLETED', result: { rows: [{ note: analytics }] } }],
      [/status$/, { state: 'QUERY_STATE_COMPLETED' }],
      [/protocols$/, [{ slug: 'a', name: tvl, category: tvl, chains: [tvl], tvl: 5 }]],
    ]
    const path = (request.url ?? '').split('?')[0] ?? ''
    response.end(JSON.stringify(answers.find(([pattern]) => pattern.test(path))?.[1] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const subgraph = `${baseUrl}/subgraph`
  const open = (url: string) => createHttpProvider({ name: 'The provider', urlSetting: 'URL', baseUrl: url })
  const [plain, graph] = [open(baseUrl), open(subgraph)]
  const part = { provider: plain, source: 'test' }
  const providers = {
    tvl: createTvlFeed({ main: part, prices: part, pools: part }),
    analytics: createAnalytics(plain, 'test'),
    subgraphs: createSubgraphs({ own: { address: subgraph, provider: graph }, key: null }),
  } as Ports['providers']
  return {
    received,
    subgraph,
    providers,
    async close() {
      await Promise.all([plain.close(), graph.close()])
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * The worst assistant: it reads everything it can, obeys every `CALL <tool> <json>` that it reads, calls every tool
 * with a trade as arguments, and repeats everything as its answer.
 */
export function gullible(lookUps: readonly [string, Record<string, unknown>][]): Assistant & { called: string[] } {
  const called: string[] = []
  async function attempt({ tools }: AssistantRequest, name: string, input: Record<string, unknown>): Promise<string> {
    called.push(name)
    const run = tools.get(name)?.run
    return run === undefined ? `There is no tool ${name}.` : JSON.stringify(await run(input).catch(String))
  }
  return {
    model: 'gullible',
    called,
    summarize: async (findings) => JSON.stringify(findings),
    async *reply(request) {
      const read = [...request.history.map(({ content }) => content), request.text]
      for (const [name, input] of lookUps) read.push(await attempt(request, name, input))
      for (const [, name = '', json = '{}'] of read
        .join('\n')
        .replaceAll('\\"', '"')
        .matchAll(/CALL (\w+) (\{.*?\}) END/g))
        read.push(await attempt(request, name, JSON.parse(json)))
      for (const name of request.tools.keys()) await attempt(request, name, { confirm: true, simulate_only: false })
      yield read.join('\n')
    },
  }
}
