import { expect, test } from 'vitest'
import { askedRpcWorlds, request } from '../../../test/protocols/rpc-world.ts'

const serve = askedRpcWorlds()

test('a batch has its responses in order, without its notifications', async () => {
  const { answer } = await serve()
  const batch = [
    request('eth_chainId', [], 'a'),
    { jsonrpc: '2.0', method: 'eth_chainId' },
    7,
    request('eth_nothing', [], 'b'),
  ]
  expect(await answer(batch)).toMatchObject([
    { id: 'a' },
    { id: null, error: { code: -32600 } },
    { id: 'b', error: { code: -32601 } },
  ])
  expect(await answer([])).toMatchObject({ error: { code: -32600 } })
  expect(await answer(Array.from({ length: 101 }, () => request('eth_chainId')))).toMatchObject({
    id: null,
    error: { code: -32600 },
  })
})

test('a batch runs as far as its responses fit, and the rest is refused and not run', async () => {
  let runs = 0
  const word = 'x'.repeat(20 * 1_048_576)
  const long = async () => {
    runs += 1
    return word
  }
  const { answer } = await serve({ 'chain.web3ClientVersion': long })
  const answers = await answer([...Array(4).keys()].map((id) => request('web3_clientVersion', [], id)))
  const data = { limit: 33_554_432, reset: null, code: 'LIMIT_EXCEEDED', request_id: expect.any(String) }
  const refused = { error: { code: -32005, message: expect.stringContaining('this request alone'), data } }
  expect(answers.map(({ result }: { result?: string }) => result?.length)).toEqual([
    word.length,
    word.length,
    undefined,
    undefined,
  ])
  expect(answers.slice(2)).toMatchObject([
    { id: 2, ...refused },
    { id: 3, ...refused },
  ])
  expect(runs).toBe(2)
})

test('a response that cannot be serialised fails its own request alone', async () => {
  const { world, answer } = await serve({ 'chain.web3ClientVersion': async () => 1n })
  const broken = { id: 1, error: { code: -32603 } }
  expect(await answer(request('web3_clientVersion'))).toMatchObject(broken)
  expect(await answer([request('web3_clientVersion'), request('eth_chainId', [], 2)])).toMatchObject([
    broken,
    { id: 2, result: expect.any(String) },
  ])
  expect(world.unexpected).toHaveLength(2)
})
