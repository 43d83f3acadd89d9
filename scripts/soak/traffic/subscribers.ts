import { strict as assert } from 'node:assert'
import { compareReceived } from '../../../test/drivers/compare-received.ts'
import { subscribeAll } from '../../../test/drivers/subscribers.ts'
import type { Traffic } from './traffic.ts'

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
