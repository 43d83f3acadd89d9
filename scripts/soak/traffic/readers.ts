import { strict as assert } from 'node:assert'
import type { Event } from '../../../test/clients/client.ts'
import { compareReceived } from '../../../test/drivers/compare-received.ts'
import { subscribeAll } from '../../../test/drivers/subscribers.ts'
import { newAccount, protocols } from '../../../test/world.ts'
import { ask, follow, noAnswer, sentNow, type Traffic } from '../world.ts'

const readMs = 6_000

/** Readers of a market that disconnect at any moment and resume on any protocol, and must not miss anything. */
export function marketReader(symbol: string): Traffic {
  return {
    name: `market ${symbol}`,
    pauseMs: 200,
    async begin(world, { one, random }) {
      const { token } = await newAccount(world.clients.rest)
      const asked = { symbol, streams: ['trade', 'kline'], interval: '1s' }
      const subscribing = { client: world.clients.rest, id: 'tools.subscribeExchange', input: asked, token } as const
      const { subscription_id } = await ask(world, subscribing)
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
          const cut = AbortSignal.any([world.over, AbortSignal.timeout(Math.ceil(random() * readMs))])
          const client = world.clients[one(protocols)]
          const input = { subscription_id, ...(last !== undefined && { last_event_id: last.id }) }
          for await (const event of follow(world, { client, id: 'tools.streamExchange', input, token }, cut)) {
            if (!cut.aborted) take(event)
          }
          cuts += 1
        },
        async settled() {
          assert.ok(received > 0, `nothing was received of ${symbol}`)
          console.log(`market ${symbol}: ${received} events through ${cuts} cuts, each once and in order`)
        },
      }
    },
  }
}

const subscribersEach = 3

/** Subscribers of heads and logs on three protocols: each must receive everything once. */
export const subscribers: Traffic = {
  name: 'subscribers',
  pauseMs: 1_000,
  async begin({ gateway: { urls }, dataDir, outcomes }) {
    const crowd = await subscribeAll(urls, subscribersEach)
    return {
      async round() {
        for (const { protocol, ended } of crowd.all)
          if (ended !== null) outcomes.broken(`a subscriber over ${protocol} was let go: ${ended}`)
      },
      async settled() {
        const { heads, logs, ...wrongs } = await compareReceived(urls.rpc, [dataDir, 'chain'], crowd)
        await crowd[Symbol.asyncDispose]()
        assert.ok(heads > 0 && logs > 0, 'subscribers received nothing')
        assert.deepEqual(wrongs, { missed: 0, doubled: 0, wrong: 0, ended: 0, unproven: [] })
        console.log(`subscribers: ${crowd.all.length} received ${heads} heads and ${logs} logs, each once`)
      },
    }
  },
}

/** /metrics is left out, because each read resets its event loop delay, which the soak reads itself. */
const paths = ['/openapi.json', '/openrpc.json', '/docs', '/docs/api', '/health/live', '/health/ready', '/explorer']

/** Readers of documents, health pages and the explorer. */
export const documents: Traffic = {
  name: 'documents',
  pauseMs: 1_000,
  async begin({ gateway, outcomes }, { one }) {
    return {
      async round() {
        const path = one(paths)
        const seen = sentNow(path, 'http')
        try {
          const response = await fetch(gateway.urls.http + path)
          const text = await response.text()
          outcomes.note({ ...seen, code: response.ok ? 'OK' : `${response.status}`, words: text.slice(0, 200) })
        } catch (thrown) {
          outcomes.note({ ...seen, ...noAnswer(thrown) })
        }
      },
    }
  },
}
