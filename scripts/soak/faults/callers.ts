import { connect, type Socket } from 'node:net'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { unreadGrpc, unreadSse } from '../../../test/drivers/slow-readers.ts'
import { apiKey } from '../../../test/gateway-process.ts'
import { newAccount, protocols } from '../../../test/world.ts'
import { cutCall } from '../cut-call.ts'
import { pause } from '../world.ts'
import type { Fault } from './windows.ts'

const socketsAtOnce = 6
/** Slightly more than the timeout of a slow reader. */
const slowMs = 35_000

/** No other caller may notice. */
const nobody = { may: [] }

/** Calls whose connections are cut before the response. */
export const callsAreCut: Fault = async ({ world, windows, numbers: { one, random } }) => {
  const { token, swap } = await newAccount(world.clients.rest)
  const calls = [
    ['trading.quote', { input: swap('WETH', 'USDC', '0.1') }],
    ['chat.send', { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }], when_busy: 'queue' }],
    ['research.preview', { tvl_chain: 'sandbox', price_symbol: 'WETH' }],
    ['trading.listChains', {}],
  ] as const
  await windows.during({ ...nobody, fault: 'calls cut' }, async () => {
    for (let count = 0; count < 20 && !world.over.aborted; count += 1) {
      const [id, input] = one(calls)
      await cutCall(world, one(protocols), id, input, token, random() * 30)
    }
  })
}

/** Connections that send half of a request, on every port; some have closed their own side. */
export const halfOpen: Fault = async ({ world, windows, numbers: { random } }) => {
  const { http, grpc, rpc } = world.gateway.urls
  const head =
    'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{'
  const upgrade = 'GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgr'
  const halves = [
    [http, head],
    [http, 'GET /api/v1/ch'],
    [grpc, 'PRI * HTTP/2.0\r\n'],
    [rpc, head],
    [rpc, upgrade],
  ] as const
  await windows.during({ ...nobody, fault: 'half-open sockets' }, async () => {
    const sockets: Socket[] = []
    for (let count = 0; count < socketsAtOnce * halves.length; count += 1) {
      const [address, bytes] = halves[count % halves.length] ?? halves[0]
      const { hostname, port } = new URL(address.replace(/^(?!http)/, 'http://'))
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      socket.on('error', () => undefined) // the gateway may close first
      socket.write(bytes)
      if (random() < 0.3) socket.end()
      sockets.push(socket)
    }
    await pause(world, slowMs)
    for (const socket of sockets) socket.destroy()
  })
}

/** Readers of streams that do not read, on four protocols. */
export const slowReaders: Fault = async ({ world, windows }) => {
  const { http, grpc, rpc } = world.gateway.urls
  const { path, encodeRequest } = grpcMethods['chain.subscribe']
  const input = { type: 'logs' }
  const { client, token } = { client: world.clients.rest, ...(await newAccount(world.clients.rest)) }
  const asked = await client.call('tools.subscribeExchange', { symbol: 'ETHUSDC', streams: ['trade', 'depth'] }, token)
  const { subscription_id } = asked.ok ? (asked.output as { subscription_id: string }) : { subscription_id: '' }
  const market = `${http}/api/v1/multi-agent/exchange/stream/${subscription_id}`
  await windows.during({ ...nobody, fault: 'slow readers' }, async () => {
    await using stack = new AsyncDisposableStack()
    await unreadGrpc(grpc, { path, message: encodeRequest(input) }, stack)
    await unreadSse(`${http}/trpc/chain.subscribe?input=${encodeURIComponent(JSON.stringify(input))}`, {}, stack)
    if (asked.ok) await unreadSse(market, { authorization: `Bearer ${token}` }, stack)
    const { socket, ask, send } = await openRpcSocket(rpc, { headers: { 'x-api-key': apiKey } })
    stack.defer(() => socket.terminate())
    await ask('eth_subscribe', ['logs'])
    socket.pause()
    for (let id = 0; id < 500; id += 1)
      send({ jsonrpc: '2.0', id, method: 'eth_getBlockByNumber', params: ['latest', true] })
    await pause(world, slowMs)
  })
}
