import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { internet } from './hostile-url.ts'

test('a connection goes to the address that was checked, whatever the name says later', async () => {
  const plain = createServer((_request, response) => response.end('reached'))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo
  const agent = internet.pinned({ address: '127.0.0.1', family: 4 })
  const { body } = await agent.request({ origin: `http://rebound.example:${port}`, path: '/', method: 'GET' })
  expect(await body.text()).toBe('reached')
  await agent.destroy()
  await new Promise((resolve) => plain.close(resolve))
})
