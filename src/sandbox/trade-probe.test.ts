import { readFileSync } from 'node:fs'
import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addresses } from './deploy/addresses.ts'
import { sendAndMine, temporaryDir, testSandbox, treasury } from './fixtures/testing.ts'

type Stage = {
  ran: boolean
  ok: boolean
  sent: bigint
  expected: bigint
  received: bigint
  taxBps: bigint
  gasUsed: bigint
  revertData: Hex
}
type Report = { buy: Stage; move: Stage; sell: Stage; roundTripLossBps: bigint }

const file = new URL('../adapters/chain/contracts/artifacts/TradeProbe.json', import.meta.url)
const artifact = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; deployedBytecode: Hex }
const probeAddress: Address = '0x00000000000000000000000000000000000a11ce'
const v2 = { router: addresses.v2Router, quoter: addresses.v3Quoter, fee: 0 }
const v3 = { router: addresses.v3Router, quoter: addresses.v3Quoter, fee: 500 }
const ownerAbi = parseAbi(['function setSellingEnabled(bool)', 'function setBlacklist(address, bool)'])

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

async function probe(venue: typeof v2, token: Address, amount = parseEther('0.01')): Promise<Report> {
  const data = encodeFunctionData({
    abi: artifact.abi,
    functionName: 'probe',
    args: [venue, addresses.weth, token, amount],
  })
  const override = { [probeAddress]: { code: artifact.deployedBytecode, balance: `0x${amount.toString(16)}` } }
  const output = (await sandbox.request({
    method: 'eth_call',
    params: [{ to: probeAddress, data }, 'latest', override],
  })) as Hex
  return decodeFunctionResult({ abi: artifact.abi, functionName: 'probe', data: output }) as Report
}

const ownerCall = (functionName: 'setSellingEnabled' | 'setBlacklist', args: [boolean] | [Address, boolean]) =>
  sendAndMine(sandbox, treasury, {
    to: addresses.rug,
    data: encodeFunctionData({ abi: ownerAbi, functionName, args } as never),
  })

test('a clean token shows no taxes, and loses only the pool fees', async () => {
  for (const [venue, low, high] of [
    [v2, 55n, 62n],
    [v3, 8n, 12n],
  ] as const) {
    const { buy, move, sell, roundTripLossBps } = await probe(venue, addresses.usdc)
    for (const stage of [buy, move, sell])
      expect(stage).toMatchObject({ ran: true, ok: true, taxBps: 0n, revertData: '0x' })
    expect(roundTripLossBps).toBeGreaterThanOrEqual(low)
    expect(roundTripLossBps).toBeLessThanOrEqual(high)
  }
})

test('a sell tax is measured', async () => {
  const { buy, move, sell } = await probe(v2, addresses.rug)
  expect([buy.taxBps, move.taxBps]).toEqual([0n, 0n])
  expect(Number(sell.taxBps)).toBeGreaterThan(2_480)
  expect(Number(sell.taxBps)).toBeLessThanOrEqual(2_500)
})

test('a missing pool, disabled selling and a blacklist fail at different stages', async () => {
  const absent = await probe({ ...v3, fee: 100 }, addresses.usdc)
  expect(absent.buy).toMatchObject({ ran: true, ok: false })
  expect(absent.sell.ran).toBe(false)

  await ownerCall('setSellingEnabled', [false])
  const locked = await probe(v2, addresses.rug)
  expect(locked.buy.ok).toBe(true)
  expect(locked.sell).toMatchObject({ ran: true, ok: false, received: 0n })
  expect(locked.sell.revertData).toMatch(/^0x08c379a0/)

  await ownerCall('setBlacklist', [probeAddress, true])
  const listed = await probe(v2, addresses.rug)
  expect(listed.buy).toMatchObject({ ran: true, ok: false })
  expect(listed.buy.revertData).toMatch(/^0x08c379a0/)
})
