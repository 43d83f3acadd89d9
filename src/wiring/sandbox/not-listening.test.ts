import { expect, test } from 'vitest'
import { readConfig } from '../../settings/config.ts'
import { notListening } from './not-listening.ts'

test('for a port that is taken the next one is suggested that no other setting has', () => {
  const config = readConfig({ HTTP_PORT: '9000', GRPC_PORT: '9001', RPC_PORT: '9003', PROVIDERS_PORT: '9002' })
  const taken = () => notListening('HTTP_PORT', config)(new Error('listen EADDRINUSE: 127.0.0.1:9000'))
  expect(taken).toThrow('HTTP_PORT 9000 is taken: end the other program, or start with HTTP_PORT=9004.')
})
