import { concat, type Hex, size, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndMine, temporaryDir, testSandbox, treasury } from '../../../sandbox/fixtures/testing.ts'
import { callsOnly } from '../fixtures/nodes.ts'
import { connect } from '../reads/connection.ts'
import { tokenViews } from '../reads/views.ts'
import { createSlotFinder } from './slots.ts'

const owner: Hex = '0x1111111111111111111111111111111111111111'
const spender: Hex = '0x2222222222222222222222222222222222222222'

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

/** Returns what is in the slot on the stack. */
const returned: Hex = '0x5460005260206000f3'
/** The owner of the call at 0 and the table at 32, as Solidity hashes them. */
const solidity = (table: Hex) => concat(['0x600435600052', toHex(0x5f + size(table)), table, '0x6020526040600020'])
const namespaced: Hex = '0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00'

const getters: Record<string, Hex> = {
  'a table as Solidity has it': concat([solidity('0x03'), returned]),
  'a table as Vyper has it': concat(['0x60026000526004356020526040600020', returned]),
  'a table in the namespace of OpenZeppelin': concat([solidity(namespaced), returned]),
}
/** Fails where its slot 1 is set, which it reads as well as slot 0. */
const gated: Hex = concat(['0x600154600057', '0x6000', returned])

async function deployed(code: Hex): Promise<Hex> {
  const length = toHex(size(code), { size: 1 })
  const init = concat(['0x60', length, '0x600c', '0x6000', '0x39', '0x60', length, '0x6000', '0xf3'])
  const receipt = await sendAndMine(sandbox, treasury, { data: concat([init, code]) })
  return receipt.contractAddress as Hex
}

/** What a token returns for the owner where the override gives it 5, and the calls that finding it took. */
async function funded(token: Hex, { lacks = [] as string[], approved = false } = {}) {
  const calls: string[] = []
  const node = callsOnly(async (call) => {
    calls.push(call.method)
    if (lacks.includes(call.method)) throw Object.assign(new Error('the method does not exist'), { code: -32_601 })
    return await sandbox.request(call)
  })
  const connection = connect(sandbox.deployment, node, true)
  const stateOverride = await createSlotFinder(connection).fund(token, owner, 5n, approved ? spender : null)
  const taken = [...calls]
  if (stateOverride === null) return { shows: null, calls: taken }
  const read = async ({ callData }: { callData: Hex }) =>
    BigInt((await connection.client.call({ to: token, data: callData, stateOverride })).data ?? '0x0')
  const shows = [await read(tokenViews.balanceOf(token, owner))]
  if (approved) shows.push(await read(tokenViews.allowance(token, owner, spender)))
  return { shows, calls: taken }
}

const bare = ['eth_createAccessList', 'debug_traceCall']

describe('the slot of a balance', () => {
  test('is found by one call, whatever else the getter reads', async () => {
    const usdc = sandbox.deployment.tokens.find(({ symbol }) => symbol === 'USDC')!.address
    expect(await funded(usdc)).toEqual({ shows: [5n], calls: ['eth_createAccessList', 'eth_call'] })
    const { shows, calls } = await funded(await deployed(gated))
    expect([shows, calls.length]).toEqual([[5n], 1 + 1 + 2])
  })

  test.each(Object.entries(getters))('is found by one call without access lists and traces, in %s', async (_, code) => {
    const { shows, calls } = await funded(await deployed(code), { lacks: bare })
    expect(shows).toEqual([5n])
    expect(calls.filter((method) => method === 'eth_call')).toHaveLength(1)
  })

  test('is found with that of the allowance, without access lists and traces', async () => {
    const usdc = sandbox.deployment.tokens.find(({ symbol }) => symbol === 'USDC')!.address
    expect((await funded(usdc, { lacks: bare, approved: true })).shows).toEqual([5n, 5n])
  })

  test('is not found where it is in no usual place and the node says nothing', async () => {
    expect((await funded(await deployed(gated), { lacks: bare })).shows).toBeNull()
    expect((await funded(await deployed(gated), { lacks: ['eth_createAccessList'] })).shows).toEqual([5n])
  })
})
