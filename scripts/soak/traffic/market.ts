import { strict as assert } from 'node:assert'
import type { Event } from '../../../test/clients/client.ts'
import { newAccount, protocols } from '../../../test/world.ts'
import { ask, follow } from '../world.ts'
import type { Traffic } from './traffic.ts'

const readMs = 6_000

/** Readers of a market that disconnect at any moment and resume on any protocol, and must not miss anything. */
export function marketReader(symbol: string): Traffic {
  return {
    name: `market ${symbol}`,
    pauseMs: 200,
    async begin(world, { one, random }) {
      const { token } = await newAccount(world.clients.rest)
      const asked = { symbol, streams: ['trade', 'kline'], interval: '1s' }
      const { subscription_id } = await ask(world, {
        client: world.clients.rest,
        id: 'tools.subscribeExchange',
        input: asked,
        token,
      })
      let last: Event | undefined
      let trade = 0
      let received = 0
      let cuts = 0

      function take(event: Event): void {
        received += 1
        if (event.sequence !== (last?.sequence ?? 0) + 1)
          world.outcomes.broken(`${symbol}: event ${event.sequence} after ${last?.sequence}`)
        last = event
        if (event.trade === undefined) return
        const number = Number(event.trade.trade_id)
        if (trade !== 0 && number !== trade + 1) world.outcomes.broken(`${symbol}: trade ${number} after ${trade}`)
        trade = number
      }

      return {
        async round() {
          const cut = new AbortController()
          const timer = setTimeout(() => cut.abort(), random() * readMs)
          const stop = () => cut.abort()
          world.over.addEventListener('abort', stop, { once: true })
          try {
            const client = world.clients[one(protocols)]
            const input = { subscription_id, ...(last !== undefined && { last_event_id: last.id }) }
            for await (const event of follow(world, { client, id: 'tools.streamExchange', input, token }, cut.signal)) {
              if (!cut.signal.aborted) take(event)
            }
            cuts += 1
          } finally {
            clearTimeout(timer)
            world.over.removeEventListener('abort', stop)
          }
        },
        async settled() {
          assert.ok(received > 0, `nothing was received of ${symbol}`)
          console.log(`market ${symbol}: ${received} events through ${cuts} cuts, each once and in order`)
        },
      }
    },
  }
}
