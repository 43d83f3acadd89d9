import { wordsOf } from '../world.ts'
import type { Traffic } from './traffic.ts'

/** /metrics is left out, because each read resets its event loop delay, which the soak reads itself. */
const paths = ['/openapi.json', '/openrpc.json', '/docs', '/health/live', '/health/ready', '/explorer']

/** Readers of documents, health pages and the explorer. */
export const documents: Traffic = {
  name: 'documents',
  pauseMs: 1_000,
  async begin({ gateway, outcomes }, { one }) {
    return {
      async round() {
        const path = one(paths)
        const seen = { operation: path, protocol: 'http', since: performance.now() }
        try {
          const response = await fetch(gateway.urls.http + path)
          const text = await response.text()
          outcomes.note({ ...seen, code: response.ok ? 'OK' : `${response.status}`, words: text.slice(0, 200) })
        } catch (error) {
          outcomes.note({ ...seen, code: 'no answer', words: wordsOf(error) })
        }
      },
    }
  },
}
