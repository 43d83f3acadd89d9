import type { Hex } from '../../../domain/ports/chains.ts'
import { endpointOf } from './endpoint.ts'

type Hints = {
  /** The number of a new block; absent where something may have changed. */
  head: (number?: bigint) => void
  pending: (hash: Hex) => void
}

export type HintSocket = {
  /** True while new blocks are reported: the subscription stands, and the connection is not silent. */
  alive(): boolean
  close(): void
}

const beatMs = 3_000
const silenceMs = 10_000
const reopenMs = { first: 250, most: 5_000 }

/**
 * Subscribes at a node's WebSocket, and reconnects when it closes. After a reconnection it gives one hint, whatever was
 * missed meanwhile.
 */
export function hintSocket(address: string, hints: Hints): HintSocket {
  const { url, headers } = endpointOf(address)
  let socket: WebSocket | null = null
  let receivedAt = 0
  let subscribed = false
  let attempts = 0
  let closed = false
  let reopening: NodeJS.Timeout | undefined
  const beat = setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return
    // A connection that broke without a close frame is noticed by its silence.
    if (performance.now() - receivedAt > silenceMs) leave(socket)
    else if (performance.now() - receivedAt > beatMs - 100) send(socket, 'beat', 'eth_blockNumber', [])
  }, beatMs)

  function open(): void {
    const opened = new WebSocket(url, { headers })
    socket = opened
    opened.addEventListener('open', () => {
      receivedAt = performance.now()
      send(opened, 'heads', 'eth_subscribe', ['newHeads'])
      send(opened, 'pending', 'eth_subscribe', ['newPendingTransactions'])
    })
    opened.addEventListener('message', ({ data }) => {
      if (socket === opened) receive(String(data))
    })
    opened.addEventListener('error', () => leave(opened))
    opened.addEventListener('close', () => leave(opened))
  }

  /** Drops a socket once, and opens another after a delay. */
  function leave(old: WebSocket): void {
    if (socket !== old) return
    socket = null
    subscribed = false
    old.close()
    attempts += 1
    if (!closed) reopening = setTimeout(open, Math.min(reopenMs.most, reopenMs.first * 2 ** (attempts - 1)))
  }

  function receive(text: string): void {
    receivedAt = performance.now()
    const { id, result, params } = messageOf(text)
    if (id === 'heads' && typeof result === 'string') {
      subscribed = true
      attempts = 0
      hints.head()
    } else if (id === 'beat') hints.head(numberOf(result))
    else if (typeof params?.result === 'string') hints.pending(params.result as Hex)
    else if (params !== undefined) hints.head(numberOf((params.result as { number?: unknown } | null)?.number))
  }

  open()
  return {
    alive: () => subscribed && performance.now() - receivedAt < silenceMs,
    close() {
      closed = true
      clearInterval(beat)
      clearTimeout(reopening)
      if (socket !== null) leave(socket)
    },
  }
}

type Message = { id?: unknown; result?: unknown; params?: { result?: unknown } }

function send(socket: WebSocket, id: string, method: string, params: readonly unknown[]): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
}

function messageOf(text: string): Message {
  try {
    return (JSON.parse(text) ?? {}) as Message
  } catch {
    return {}
  }
}

function numberOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) ? BigInt(value) : undefined
}
