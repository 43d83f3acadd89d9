import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { tokenOf } from '../../domain/values/tokens.ts'
import { temporaryDir, testSandbox, until } from '../../sandbox/fixtures/testing.ts'
import { nodePool } from '../node/public/node-pool.ts'
import { publicNode } from './fixtures/nodes.ts'
import { knownChains, openPublicChain, readDeployment } from './public-chain.ts'
import { openChain } from './viem-chain.ts'

describe('the committed tables', () => {
  test.each(knownChains())('chain %i is whole', (chainId) => {
    const table = readDeployment(chainId)
    expect(table.chain_id).toBe(chainId)
    const addresses = table.tokens.map(({ address }) => address)
    expect(addresses).toContain(table.wrapped_native)
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses.map((address) => getAddress(address))).toEqual(addresses)
    const pairs = table.feeds.map(({ pair }) => pair)
    for (const { usd_feed } of table.tokens) if (usd_feed !== undefined) expect(pairs).toContain(usd_feed)
  })
})

test('a chain over HTTP: the second node stands in for a dead one, and a node of another chain is detected', async () => {
  await using dir = await temporaryDir()
  await using sandbox = await testSandbox(dir.path)
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { id, method, params } = JSON.parse(body)
    const answer = await sandbox.request({ method, params }).then(
      (result) => ({ result }),
      ({ code, message, data }) => ({ error: { code, message, data } }),
    )
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const live = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const dead = 'http://127.0.0.1:1/secret-key'
    const { deployment } = sandbox
    await using node = await publicNode([dead, live], deployment.chain_id)
    const chain = openChain({ deployment, node, sandbox: false })
    const [weth, usdc] = sandbox.deployment.tokens
    const { quotes } = await chain.quoteRoutes(weth!.address, usdc!.address, 10n ** 18n)
    expect(quotes.length).toBeGreaterThan(2)
    const plan = { route: quotes[0]!.route, owner: sandbox.treasury, amountIn: 1n, minimumOut: 0n, deadline: 1n }
    expect(await chain.simulateSwap(plan, { fundOwner: true })).toMatchObject({
      ok: false,
      reason: 'Transaction too old',
    })
    const heads: bigint[] = []
    const stop = chain.onBlock((head) => heads.push(head.number))
    await until(() => heads.length > 0, 'a block')
    stop()
    const [feed] = sandbox.deployment.feeds
    const moved = { ...sandbox.deployment, feeds: [{ ...feed!, deviation_bps: 50 }] }
    const known = openChain({ deployment: moved, node, sandbox: false })
    expect(await known.price(feed!.pair)).toMatchObject({ deviationBps: 50, heartbeatSeconds: 3_600 })
    expect(await chain.price(feed!.pair)).toMatchObject({ deviationBps: null })
    const lost = { ...node, direct: nodePool([dead]).request }
    const failure = await openChain({ deployment, node: lost, sandbox: false })
      .blockHash(1n)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
    expect(String((failure as Error).cause)).not.toContain('secret-key')
    await expect(openPublicChain({ chainId: 1, node })).rejects.toThrow(/the node serves chain 84532/)
    await expect(openPublicChain({ chainId: 999, node })).rejects.toThrow(/the node serves chain 84532/)
    const bare = await openPublicChain({ chainId: 84_532, node })
    expect(bare.info).toMatchObject({ name: 'chain-84532', tokens: [], venues: [] })
    expect((await bare.head()).number).toBeGreaterThan(0n)
    expect(await bare.price(bare.info.nativeUsdFeed)).toBeNull()
    expect(() => tokenOf(bare, weth!.address, 'token')).toThrow(/knows no tokens or venues on chain-84532/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a table that cannot be used is refused with what is wrong with it', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'table.json')
  expect(() => readDeployment(1, file)).toThrow(`CHAIN_TABLE ${file} cannot be read.`)
  await writeFile(file, 'chain_id: 1')
  expect(() => readDeployment(1, file)).toThrow('is not JSON')
  await writeFile(file, JSON.stringify({ ...readDeployment(1), safe_depth: -1 }))
  expect(() => readDeployment(1, file)).toThrow('is not a valid table of a chain: safe_depth: ')
  await writeFile(file, JSON.stringify(readDeployment(10)))
  expect(() => readDeployment(1, file)).toThrow('is for a different chain than CHAIN_ID 1')
})
