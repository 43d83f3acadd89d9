import { expect, test } from 'vitest'
import type { Ports } from '../ports.ts'
import { chatTools, type ToolPorts } from './tools.ts'

test('a reply that is stopped stops the question to the provider too', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>()
  const chains = { default: { info: { id: 1, name: 'one' } }, all: [] }
  const tvl = {
    async chains(signal: AbortSignal) {
      resolve(signal)
      return await new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    },
  }
  const stop = new AbortController()
  const ports = { chains, providers: { tvl } } as unknown as Pick<Ports, ToolPorts>
  const run = chatTools(ports, 1, stop.signal).get('metrics_tvl')?.run({})
  await asked
  stop.abort()
  await expect(run).rejects.toBe(stop.signal.reason)
})
