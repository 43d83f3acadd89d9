import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Anvil, startAnvil } from '../../../test/node/anvil.ts'
import type { SignableTransaction } from '../../domain/ports/chains.ts'
import { openRemoteSigner } from './remote-signer.ts'

const requested: SignableTransaction = {
  chainId: 4_242,
  nonce: 3,
  to: '0x00000000000000000000000000000000000000aa',
  data: '0x1234',
  value: 5n,
  gas: 21_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
}
const ends: (() => void)[] = []
let process: Anvil

beforeAll(async () => {
  process = await startAnvil([], { accounts: 2 })
})
afterAll(async () => await process[Symbol.asyncDispose]())
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  ends.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Call = { id: number; method: string; params: unknown[] }

/** A proxy before the real signer that changes requests or responses, or responds by itself. */
function doorTo(change: (call: Call, pass: (call: Call) => Promise<unknown>) => unknown, seen: string[] = []) {
  return serve(async (request, response) => {
    const call = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()) as Call
    seen.push(call.method)
    const pass = async (body: Call) => {
      const headers = { 'content-type': 'application/json' }
      return await (await fetch(process.url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    }
    response.end(JSON.stringify(await change(call, pass)))
  })
}

const times = { timeoutMs: 2_000, retryMs: 0 }
const open = async (...door: Parameters<typeof doorTo>) => openRemoteSigner(await doorTo(...door), times)
const answer = ({ id }: Call, result: unknown) => ({ jsonrpc: '2.0', id, result })
const failure = ({ id }: Call, code: number, message = 'no') => ({ jsonrpc: '2.0', id, error: { code, message } })

async function firstAccount(): Promise<Hex> {
  return (await openRemoteSigner(process.url, times).accounts())[0]!
}

describe('a remote signer', () => {
  test('lists its accounts and signs for each', async () => {
    const signer = openRemoteSigner(process.url, times)
    const accounts = await signer.accounts()
    expect(accounts).toHaveLength(2)
    for (const from of accounts) {
      const { raw } = await signer.sign(from, requested)
      const serializedTransaction = raw as TransactionSerialized
      expect(await recoverTransactionAddress({ serializedTransaction })).toBe(from)
      expect(await signer.sign(from, requested)).toEqual(await signer.sign(from, requested))
    }
  })

  test('signs legacy transactions', async () => {
    const signer = openRemoteSigner(process.url, times)
    const { raw } = await signer.sign(await firstAccount(), { ...requested, maxPriorityFeePerGas: null })
    expect(parseTransaction(raw)).toMatchObject({ type: 'legacy', gasPrice: 10n, nonce: 3 })
  })

  test('refuses an account that it does not have', async () => {
    const signing = openRemoteSigner(process.url, times).sign('0x00000000000000000000000000000000000000bb', requested)
    await expect(signing).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
  })
})

describe('its response', () => {
  test.each([
    ['nonce', { nonce: '0x4' }],
    ['to', { to: `0x${'cc'.repeat(20)}` }],
    ['value', { value: '0xffff' }],
    ['data', { data: '0x' }],
    ['maxFeePerGas', { maxFeePerGas: '0xffff' }],
    ['signature', {}],
  ])('is refused where its %s differs from the request', async (part, change) => {
    const [from, other] = await openRemoteSigner(process.url, times).accounts()
    const signer = await open(async (call, pass) => {
      const [transaction] = call.params as object[]
      return await pass({ ...call, params: [{ ...transaction, ...(part === 'signature' ? { from: other } : change) }] })
    })
    const refusal = { code: 'FAILED_PRECONDITION', message: expect.stringContaining(part) }
    await expect(signer.sign(from!, requested)).rejects.toMatchObject(refusal)
  })

  test.each([[null], [7], ['nonsense'], [{}], [{ raw: 5 }], [[]], ['0x']])('is refused as %j', async (result) => {
    const signer = await open((call) => answer(call, result))
    await expect(signer.sign(await firstAccount(), requested)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
  })

  test('may have the decoded transaction with the bytes, by the methods of clef', async () => {
    const seen: string[] = []
    const signer = await open(async (call, pass) => {
      const known = { account_list: 'eth_accounts', account_signTransaction: 'eth_signTransaction' }[call.method]
      if (known === undefined) return failure(call, -32_601, 'the method does not exist')
      const { result } = (await pass({ ...call, method: known })) as { result: unknown }
      return answer(call, known === 'eth_accounts' ? result : { raw: result, tx: {} })
    }, seen)
    const [from] = await signer.accounts()
    expect(await signer.sign(from!, requested)).toEqual(
      await openRemoteSigner(process.url, times).sign(from!, requested),
    )
    expect(seen).toEqual(['eth_accounts', 'account_list', 'eth_signTransaction', 'account_signTransaction'])
  })

  test.each([[-32_000], [-32_602], [4_001]])('may be a refusal (%i), whose text is only logged', async (code) => {
    const signer = await open((call) => failure(call, code, 'not by you, said the vault'))
    const error = await signer.sign(await firstAccount(), requested).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'FAILED_PRECONDITION', cause: { message: expect.stringContaining('vault') } })
    expect((error as Error).message).not.toContain('vault')
  })
})

describe('a signer that does not respond', () => {
  const silence = { code: 'UNAVAILABLE' }

  test('is bounded in time and in bytes, and is never trusted', async () => {
    const from = await firstAccount()
    const hanging = openRemoteSigner(await serve(() => undefined), { timeoutMs: 100, retryMs: 0 })
    await expect(hanging.sign(from, requested)).rejects.toMatchObject(silence)
    const endless = await serve((_, response) => {
      const more = () => response.write('x'.repeat(65_536), () => !response.destroyed && setImmediate(more))
      more()
    })
    await expect(openRemoteSigner(endless, times).sign(from, requested)).rejects.toMatchObject(silence)
    const elsewhere = await serve((_, response) => response.writeHead(302, { location: process.url }).end())
    await expect(openRemoteSigner(elsewhere, times).sign(from, requested)).rejects.toMatchObject(silence)
    const broken = await open((call) => failure(call, -32_603, 'internal error'))
    await expect(broken.sign(from, requested)).rejects.toMatchObject(silence)
    const gone = openRemoteSigner('http://127.0.0.1:9', times)
    await expect(gone.accounts()).rejects.toMatchObject(silence)
    const odd = await open((call) => answer(call, { accounts: 'all' }))
    await expect(odd.accounts()).rejects.toMatchObject(silence)
  })

  test('is waited for once; then a background request probes it until it responds', async () => {
    const seen: string[] = []
    let back = false
    const url = await doorTo((call, pass) => (back ? pass(call) : failure(call, -32_603)), seen)
    const from = await firstAccount()
    const resting = openRemoteSigner(url, { timeoutMs: 2_000, retryMs: 60_000 })
    for (let tries = 0; tries < 5; tries += 1)
      await expect(resting.sign(from, requested)).rejects.toMatchObject(silence)
    expect(seen).toEqual(['eth_signTransaction'])

    const trying = openRemoteSigner(url, times)
    await expect(trying.sign(from, requested)).rejects.toMatchObject(silence)
    back = true
    await vi.waitFor(async () => await trying.sign(from, requested))
    expect(seen.slice(1)).toEqual(['eth_signTransaction', 'eth_accounts', 'eth_signTransaction'])
  })

  test('is cancelled when the gateway stops', async () => {
    const signer = openRemoteSigner(await serve(() => undefined), { timeoutMs: 60_000, retryMs: 0 })
    const signing = signer.sign(await firstAccount(), requested)
    signer.close()
    await expect(signing).rejects.toMatchObject(silence)
  })

  test('shows neither the password nor the URL of the signer in errors', async () => {
    const signer = openRemoteSigner('http://ada:the-password@127.0.0.1:9/path', times)
    const error = (await signer.accounts().catch((thrown: unknown) => thrown)) as Error
    const causes = [error, error.cause as Error, (error.cause as Error).cause as Error]
    expect(causes.map((one) => `${one?.message} ${one?.stack}`).join()).not.toMatch(/the-password|127\.0\.0\.1:9/)
  })
})
