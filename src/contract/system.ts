import { z } from 'zod'
import { operation } from './shared/operation.ts'
import { sample } from './shared/samples.ts'
import { version } from './shared/version.ts'

export const system = {
  info: operation({
    kind: 'unary',
    summary: 'Read what this gateway is: its version, chains and protocols',
    auth: 'none',
    rate: 'node',
    mcp: 'call',
    http: { method: 'GET', path: '/api/v1/info' },
    input: z.strictObject({}),
    output: z
      .object({
        version: z.string().describe('Version of the gateway and of its contract'),
        sandbox: z.boolean().describe('True on the embedded chain, whose money has no value'),
        block_seconds: z.number().describe('Usual time between two blocks of the default chain, in seconds'),
        chains: z
          .array(
            z
              .object({
                chain_id: z.int().describe('Id of the chain'),
                name: z.string().describe('Name of the chain'),
              })
              .meta({ id: 'ChainName', description: 'A chain by id and name' }),
          )
          .describe('The connected chains, the default one first; trading.listChains has their tokens'),
        protocols: z
          .array(z.enum(['rest', 'trpc', 'grpc', 'jsonrpc', 'mcp']).meta({ message: 'GatewayProtocol' }))
          .describe(
            'Protocols of the gateway; jsonrpc serves the methods of the chain alone, and mcp tools for agents',
          ),
      })
      .meta({ id: 'GatewayInfo', description: 'What a gateway is' }),
    errors: [],
    example: {
      input: {},
      output: {
        version,
        sandbox: true,
        block_seconds: 2,
        chains: [{ chain_id: sample.chainId, name: 'sandbox' }],
        protocols: ['rest', 'trpc', 'grpc', 'jsonrpc', 'mcp'],
      },
    },
  }),
}
