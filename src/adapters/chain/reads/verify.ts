import type { Address } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import { sameAddress } from '../../../domain/ports/chains.ts'
import type { Connection } from './connection.ts'
import { guarded } from './failures.ts'
import { readAll } from './multicall.ts'
import { feedViews, type Reading, tokenViews, v2Views, v3Views } from './views.ts'

/** Compares a deployment with the chain it is meant for; FAILED_PRECONDITION names every difference. */
export async function verifyDeployment(connection: Connection): Promise<void> {
  const { client, deployment } = connection
  const problems = await guarded(deployment.name, async () => {
    const chainId = await client.getChainId()
    if (chainId !== deployment.chain_id) return [`the node serves chain ${chainId}`]
    if (deployment.tokens.length === 0) return []
    const code = await client.getCode({ address: deployment.multicall3 })
    if (code === undefined || code === '0x') return [`there is no multicall contract at ${deployment.multicall3}`]
    return [
      ...(await contractProblems(connection)),
      ...(await tokenProblems(connection)),
      ...(await feedProblems(connection)),
    ]
  })
  if (problems.length === 0) return
  const text = `The table of chain ${deployment.chain_id} (${deployment.name}) does not fit the node: ${problems.join('; ')}.`
  throw new DomainError('FAILED_PRECONDITION', `${text} Check CHAIN_ID and CHAIN_RPC_URL.`)
}

async function contractProblems(connection: Connection): Promise<string[]> {
  const { uniswap_v2: v2, uniswap_v3: v3, wrapped_native: wrapped } = connection.deployment
  const expected: readonly [string, Address, Reading<Address>][] = [
    ['v2 router factory()', v2.factory, v3Views.factory(v2.router)],
    ['v3 quoter factory()', v3.factory, v3Views.factory(v3.quoter)],
    ['v3 router factory()', v3.factory, v3Views.factory(v3.router)],
    ['v3 router WETH9()', wrapped, v3Views.WETH9(v3.router)],
    ['v2 router WETH()', wrapped, v2Views.WETH(v2.router)],
  ]
  const answers = await readAll(
    connection,
    expected.map(([, , read]) => read),
  )
  return expected.flatMap(([what, wanted], index) => {
    const answer = answers[index] ?? null
    return answer !== null && sameAddress(answer, wanted)
      ? []
      : [`${what} returns ${answer ?? 'nothing'}, not ${wanted}`]
  })
}

async function tokenProblems(connection: Connection): Promise<string[]> {
  const { tokens } = connection.deployment
  const answers = await readAll(
    connection,
    tokens.map(({ address }) => tokenViews.decimals(address)),
  )
  return tokens.flatMap(({ symbol, decimals }, index) =>
    answers[index] === decimals ? [] : [`${symbol} returns ${answers[index] ?? 'no'} decimals, not ${decimals}`],
  )
}

async function feedProblems(connection: Connection): Promise<string[]> {
  const { feeds } = connection.deployment
  const decimals = await readAll(
    connection,
    feeds.map(({ address }) => feedViews.decimals(address)),
  )
  const names = await readAll(
    connection,
    feeds.map(({ address }) => feedViews.description(address)),
  )
  return feeds.flatMap(({ pair }, index) => {
    const name = names[index]?.replaceAll(' ', '').slice(0, 40)
    if (decimals[index] == null) return [`the feed ${pair} does not respond`]
    return name === pair ? [] : [`the feed ${pair} calls itself ${name ?? 'nothing'}`]
  })
}
