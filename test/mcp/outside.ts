import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeAbiParameters, getContractAddress, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { ownArtifact, withArguments } from '../../src/sandbox/deploy/artifacts.ts'
import { chainId, until } from '../../src/sandbox/fixtures/testing.ts'
import { output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import type { World } from '../world.ts'

/** Providers on this machine that answer with the text of the number that a request names. */
export async function openHostileProvider(texts: ReadonlyMap<number, string>) {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const number = Number(/(?:query\/|run-|protocol\/p)(\d+)/.exec(path)?.[1] ?? -1)
    const text = texts.get(number) ?? ''
    const answers: [RegExp, unknown][] = [
      [/execute$/, { execution_id: `run-${number}`, state: 'QUERY_STATE_PENDING' }],
      [/status$/, { state: 'QUERY_STATE_COMPLETED' }],
      [/results$/, { state: 'QUERY_STATE_COMPLETED', result: { rows: [{ note: text }] } }],
      [/protocol\/p\d+$/, { name: text, category: 'Dexs', chains: ['Sandbox'], tvl: [] }],
      [/./, []],
    ]
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers.find(([pattern]) => pattern.test(path))?.[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Transactions of one sender that wait for a block at once. */
const batch = 12

/** Deploys a real token of each name by the chain's public JSON-RPC, as any stranger can. Returns their addresses. */
export async function deployTokens(world: World, names: readonly string[]): Promise<Hex[]> {
  const stranger = privateKeyToAccount(generatePrivateKey())
  const { address: from } = stranger
  await output(world.clients.rest.call('chain.claimFaucet', { address: from }))
  // The gateway refuses what its newest block does not pay, and the engine may be a block ahead of that.
  const read = async (method: string, address: string) => {
    const { result, error } = await rpc(world.urls.rpc, method, address, 'latest')
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  await until(async () => (await read('eth_getBalance', from)) !== '0x0', 'the payment')
  const deployed: Hex[] = []
  const code = ownArtifact('SandboxToken').bytecode
  const types = 'string, string, uint8, address, address, address[], uint256[]'
  for (const [nonce, name] of names.entries()) {
    const data = withArguments(code, types, [name, 'TKN', 18, from, from, [from], [10n ** 24n]])
    const fees = { gas: 4_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    const raw = await stranger.signTransaction({ type: 'eip1559', chainId, nonce, data, ...fees })
    const { error } = await rpc(world.urls.rpc, 'eth_sendRawTransaction', raw)
    if (error !== undefined) throw new Error(`The token ${nonce} was not sent: ${error.message}`)
    const address = getContractAddress({ from, nonce: BigInt(nonce) })
    deployed.push(address)
    if (nonce % batch !== batch - 1 && nonce !== names.length - 1) continue
    await until(async () => (await read('eth_getCode', address)) !== '0x', 'the tokens')
  }
  return deployed
}

/** An instruction that stood in a text. */
export type Instruction = { protocol: string; name: string; input: Record<string, unknown> }

/** The form in which the injected texts give their instructions. */
export function written({ protocol, name, input }: Instruction): string {
  return `CALL ${protocol} ${name} ${JSON.stringify(input)} END`
}

/** Every instruction in a value: in its texts, and in those that its hex digits hold. */
export function instructionsIn(value: unknown): Instruction[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(instructionsIn)
  if (typeof value !== 'string') return []
  return [...`${value} ${textOfHex(value)}`.matchAll(/CALL (\w+) ([\w.]+) (\{.*?\}) END/g)].map(
    ([, protocol = '', name = '', json = '{}']) => ({ protocol, name, input: JSON.parse(json) }),
  )
}

function textOfHex(value: string): string {
  if (!/^0x([0-9a-f]{64}){3,}$/i.test(value)) return ''
  try {
    return decodeAbiParameters([{ type: 'string' }], value as Hex)[0]
  } catch {
    return ''
  }
}
