import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openTracing } from './otlp-tracing.ts'

const step = { name: 'chain eth_call', remote: true, seconds: 0.001, ok: true, facts: {} }

test('a collector that is down blocks nothing: waiting spans are bounded, and closing ends', async () => {
  const failures: unknown[] = []
  const settings = {
    endpoint: 'http://127.0.0.1:9',
    serviceName: 'trident',
    failed: (error: unknown) => failures.push(error),
  }
  const tracing = openTracing(settings)
  for (let count = 0; count < 10_000; count += 1) {
    const span = tracing.begin('trading.quote', null, {})
    span.step(step)
    span.end('OK', {})
    span.step(step) // a stream may have steps after its request ended
  }
  await tracing.close()
  expect(failures.length).toBeGreaterThan(0)
})

test('closing does not wait for a collector that never responds', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const sockets: { destroy(): void }[] = []
  silent.on('connection', (socket) => sockets.push(socket))
  const tracing = openTracing({ endpoint: `http://127.0.0.1:${port}`, serviceName: 'trident', failed: () => undefined })
  tracing.begin('trading.quote', null, {}).end('INTERNAL', {})
  await tracing.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})
