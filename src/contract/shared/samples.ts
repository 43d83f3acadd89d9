import type { z } from 'zod'
import type { riskReport } from './swap-values.ts'

/** The addresses in the examples and samples: those of a gateway with its default settings. */
export const sampleAddresses = { http: 'http://127.0.0.1:8000', grpc: '127.0.0.1:50051' } as const

/** Values of the examples: the embedded chain and a fictional account. */
export const sample = {
  chainId: 84_532,
  weth: '0xe620D977c3D3fb99B1d0f5c16812FfaED1aF59A8',
  usdc: '0xF94D88F3f42690d87dE340c95f3B2549D88DD8bF',
  wallet: '0x8a3f5c1e9b7d24608f1c3e5a7b9d0f2c4e6a8b1d',
  transaction: '0x3b1f7c2a9d4e6085b7c1f3a5d7e9102b4c6d8e0f1a3b5c7d9e0f2a4b6c8d1e3f',
  session: '6f1c2b7e-3d4a-4c58-9e10-7a5b3c2d1e0f',
  quote: 'b2d94f0a-6c1e-4f37-8a25-0e9d7c6b5a41',
  execution: '0c8e5a13-7b2f-4d96-a1e4-5f3d2c1b0a98',
  at: '2026-03-14T09:26:53.589Z',
  later: '2026-03-14T09:27:23.589Z',
} as const

export const sampleSwap = {
  chain_id: sample.chainId,
  token_in_address: sample.weth,
  token_out_address: sample.usdc,
  amount_in: '0.5',
  amount_in_currency: 'token_units',
  slippage_bps: 50,
} as const

export const sampleQuote = {
  route: [sample.weth, sample.usdc],
  expected_out: '1246.181903',
  price_impact_bps: 7,
  slippage_bps: 50,
  fees: { protocol_fee: '0.0015', gas_estimate: '142318' },
  gas_estimate: '142318',
  venue: 'uniswap_v3',
  quote_id: sample.quote,
  expires_at: sample.later,
  minimum_out: '1239.950993',
  transfer_tax_bps: 0,
}

export const sampleRisk: z.input<typeof riskReport> = {
  level: 'low',
  aggregate_score: 8,
  checks: [
    { name: 'rug', result: 'pass', details: { sell_tax_bps: 0 } },
    { name: 'whale_flow', result: 'pass', details: { large_transfers: 0 } },
    { name: 'price_sanity', result: 'pass', details: { deviation_bps: 12 } },
  ],
  flags: [],
}
