import { expect, test } from 'vitest'
import { describeConfig, readConfig } from './config.ts'

test('an empty environment is the sandbox with trading on', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    sandbox: true,
    tradingEnabled: true,
    HTTP_PORT: 8000,
    GRPC_PORT: 50_051,
    RPC_PORT: 8545,
    publicUrl: 'http://127.0.0.1:8000',
  })
})

test('on a public chain trading stays off until it is enabled and both caps are set', () => {
  const chain = { CHAIN_RPC_URL: 'https://one.example,https://two.example', TRADING_ENABLED: 'true' }
  expect(readConfig(chain)).toMatchObject({
    sandbox: false,
    tradingEnabled: false,
    CHAIN_RPC_URL: ['https://one.example', 'https://two.example'],
  })
  expect(readConfig({ ...chain, MAX_TRADE_USD: '100', MAX_DAILY_USD: '1000' }).tradingEnabled).toBe(true)
})

test('a wrong setting is named without its value', () => {
  const read = () => readConfig({ MASTER_KEY: 'not-a-key-at-all', HTTP_PORT: '70000' })
  expect(read).toThrow(/HTTP_PORT/)
  expect(read).toThrow(/MASTER_KEY/)
  expect(read).not.toThrow(/not-a-key-at-all/)
})

test('rates change by class, and off lifts them', () => {
  const { rateRules } = readConfig({ RATE_RULES: 'chat=40/60' })
  expect(rateRules === 'off' ? null : rateRules.chat).toEqual({ limit: 40, windowSeconds: 60, per: 'account' })
  expect(readConfig({ RATE_LIMITS: 'off' }).rateRules).toBe('off')
  const node = readConfig({ RATE_RULES: 'node=5/1,pro=50/1/90' }).rateRules
  expect(node).toMatchObject({ pro: { limit: 50, windowSeconds: 1, burst: 90, per: 'key' } })
  expect(node === 'off' ? null : node.node).toEqual({ limit: 5, windowSeconds: 1, per: 'address' })
  for (const wrong of ['chat=1/60,', 'chat=1/60/0', 'chat=0/1', 'chat'])
    expect(() => readConfig({ RATE_RULES: wrong })).toThrow(/RATE_RULES/)
  expect(() => readConfig({ RATE_RULES: 'nothing=1/1' })).toThrow(/the classes are/)
})

test('API keys name their tier; a wrong one is not shown', () => {
  const one = 'a-key-of-a-customer'
  expect(readConfig({ RPC_API_KEYS: `${one}:pro, other_key_0123456789:enterprise` }).RPC_API_KEYS).toEqual([
    { key: one, tier: 'pro' },
    { key: 'other_key_0123456789', tier: 'enterprise' },
  ])
  for (const wrong of [one, `${one}:gold`, 'short:pro']) {
    const read = () => readConfig({ RPC_API_KEYS: wrong })
    expect(read).toThrow(/RPC_API_KEYS/)
    expect(read).not.toThrow(wrong)
  }
})

test('the printed configuration hides secrets', () => {
  const text = describeConfig({ OPERATOR_TOKEN: 'a-token-nobody-may-see' })
  expect(text).toContain('OPERATOR_TOKEN')
  expect(text).not.toContain('a-token-nobody-may-see')
})
