import { type Address, encodeFunctionData, maxUint256, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deploymentSchema } from '../adapters/chain/reads/deployment.ts'
import { feedAbi, tokenAbi, v2RouterAbi, v3RouterAbi } from './deploy/abis.ts'
import { deployer, keeperAccount } from './deploy/accounts.ts'
import { addresses, multicall3, v2PairAddress } from './deploy/addresses.ts'
import { feeds } from './deploy/market.ts'
import {
  chainId,
  clientOf,
  sendAndMine,
  temporaryDir,
  testSandbox,
  treasury,
  treasuryKey,
  user,
} from './fixtures/testing.ts'

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const balance = (token: Address, account: Address) =>
  clientOf(sandbox).readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [account] })

describe('a new sandbox', () => {
  test('has the description that the gateway expects, with fixed addresses', async () => {
    expect(() => deploymentSchema.parse(sandbox.deployment)).not.toThrow()
    expect({
      weth: addresses.weth,
      usdc: addresses.usdc,
      rug: addresses.rug,
      router: addresses.v3Router,
    }).toMatchInlineSnapshot(`
      {
        "router": "0x4881e851d21dd1e1e4a371bFB21CD3CFC111708b",
        "rug": "0x17DB00950bF14CB71FB5ADF3a8979b3A95Cb5586",
        "usdc": "0xF94D88F3f42690d87dE340c95f3B2549D88DD8bF",
        "weth": "0xe620D977c3D3fb99B1d0f5c16812FfaED1aF59A8",
      }
    `)
    for (const address of [...Object.values(addresses), multicall3])
      expect(await clientOf(sandbox).getCode({ address })).toMatch(/^0x60/)
    const { timestamp } = await clientOf(sandbox).getBlock()
    expect(Number(timestamp)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  })

  test('funds an account in one transaction, and only for the treasury', async () => {
    const { address, encode, grants } = sandbox.funder
    const receipt = await sendAndMine(sandbox, treasury, { to: address, ...encode(user.address) })
    expect(receipt.status).toBe('success')
    for (const grant of grants) {
      const held = grant.address
        ? await balance(grant.address, user.address)
        : await clientOf(sandbox).getBalance({ address: user.address })
      expect(held).toBe(grant.amount)
    }
    const call = clientOf(sandbox).call({ account: keeperAccount(treasuryKey), to: address, ...encode(user.address) })
    await expect(call).rejects.toThrow('not the owner')
  })

  test('wraps plain ether that is sent to WETH, with or without a call', async () => {
    const { weth } = addresses
    const before = await balance(weth, user.address)
    for (const data of ['0x', '0x12345678'] as const) {
      const receipt = await sendAndMine(sandbox, user, { to: weth, value: 5n, data })
      expect(receipt).toMatchObject({ status: 'success', logs: [{ address: weth.toLowerCase() }] })
    }
    expect(await balance(weth, user.address)).toBe(before + 10n)
  })

  test('lets that account trade on both Uniswap versions at the prices of the feeds', async () => {
    const { weth, usdc, v2Router, v3Router } = addresses
    const approve = (spender: Address) =>
      encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] })
    await sendAndMine(sandbox, user, { to: weth, data: approve(v2Router) })
    await sendAndMine(sandbox, user, { to: weth, data: approve(v3Router) })
    const before = await balance(usdc, user.address)

    const v3 = {
      tokenIn: weth,
      tokenOut: usdc,
      fee: 500,
      recipient: user.address,
      amountIn: parseEther('1'),
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    }
    const data3 = encodeFunctionData({ abi: v3RouterAbi, functionName: 'exactInputSingle', args: [v3] })
    expect((await sendAndMine(sandbox, user, { to: v3Router, data: data3 })).status).toBe('success')
    const between = await balance(usdc, user.address)
    expect(Number(between - before) / 1e6).toBeCloseTo(2997.3, 0)

    const data2 = encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'swapExactTokensForTokens',
      args: [parseEther('1'), 0n, [weth, usdc], user.address, maxUint256],
    })
    expect((await sendAndMine(sandbox, user, { to: v2Router, data: data2 })).status).toBe('success')
    expect(Number((await balance(usdc, user.address)) - between) / 1e6).toBeCloseTo(2990.6, 0)
  })

  test('leaves the deployer, whose key is public, with nothing', async () => {
    const { weth, usdc, wbtc, rug, v2Factory, v3Factory, positionManager, funder } = addresses
    const holdings = [
      weth,
      usdc,
      wbtc,
      rug,
      positionManager,
      v2PairAddress(weth, usdc),
      v2PairAddress(weth, wbtc),
      v2PairAddress(weth, rug),
    ]
    expect(await clientOf(sandbox).getBalance({ address: deployer.address })).toBe(0n)
    for (const token of holdings) expect(await balance(token, deployer.address)).toBe(0n)

    const abi = parseAbi(['function owner() view returns (address)', 'function feeToSetter() view returns (address)'])
    const owner = (address: Address, functionName: 'owner' | 'feeToSetter' = 'owner') =>
      clientOf(sandbox).readContract({ address, abi, functionName })
    for (const address of [usdc, wbtc, rug, v3Factory, funder]) expect(await owner(address)).toBe(treasury.address)
    expect(await owner(v2Factory, 'feeToSetter')).toBe(treasury.address)
    for (const feed of feeds) expect(await owner(addresses[feed.name])).toBe(keeperAccount(treasuryKey).address)
  })
})

describe('public requests', () => {
  test.each([
    'evm_mine',
    'anvil_setBalance',
    'hardhat_reset',
    'eth_sendTransaction',
    'eth_getRawTransactionByHash',
    'debug_getRawTransaction',
  ])('does not know %s', async (method) => {
    await expect(sandbox.request({ method, params: [] })).rejects.toMatchObject({ code: -32601 })
  })

  test.each(['0x7e', '0x03'])('refuse a transaction of type %s', async (type) => {
    await expect(sandbox.request({ method: 'eth_sendRawTransaction', params: [`${type}f800`] })).rejects.toMatchObject({
      code: -32003,
    })
  })

  test('refuse a transaction that its sender cannot pay', async () => {
    const raw = await deployer.signTransaction({
      type: 'legacy',
      chainId,
      nonce: 90,
      gasPrice: 10n ** 9n,
      gas: 21_000n,
      to: user.address,
    })
    const refused = sandbox.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await expect(refused).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('insufficient funds'),
    })
  })

  test('survive parameters that would end the engine', async () => {
    const history = await sandbox.request({ method: 'eth_feeHistory', params: [`0x${'f'.repeat(40)}`, 'latest', []] })
    expect(history).toHaveProperty('oldestBlock', '0x0')
  })

  test('pass on errors of the engine with code and data', async () => {
    const data = encodeFunctionData({ abi: feedAbi, functionName: 'update', args: [1n] })
    const call = sandbox.request({ method: 'eth_call', params: [{ to: addresses.ethUsdFeed, data }, 'latest'] })
    await expect(call).rejects.toMatchObject({ code: 3, data: expect.stringMatching(/^0x08c379a0/) })
  })

  test('belong to one gateway at a time', async () => {
    await expect(testSandbox(dir.path)).rejects.toThrow('in use by another gateway')
  })
})

describe('the sequencer', () => {
  test('pauses and resumes, and retains transactions that arrive meanwhile', async () => {
    expect(sandbox.sequencer.stop()).toBe(true)
    expect(sandbox.sequencer.stop()).toBe(false)
    const mined = sendAndMine(sandbox, treasury, { to: user.address, value: 1n })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const paused = await clientOf(sandbox).getBlockNumber()
    await new Promise((resolve) => setTimeout(resolve, 1_300))
    expect(await clientOf(sandbox).getBlockNumber()).toBe(paused)
    expect(sandbox.sequencer.start()).toBe(true)
    expect((await mined).blockNumber).toBe(paused + 1n)
  })
})
