import type { NodeObject } from '../../../domain/ports/node.ts'

/** Gas of all calls of one simulation: ten whole blocks. While it runs them the engine seals nothing. */
const mostGas = 600_000_000n
const freeCalls = 10

/** A simulation whose calls share what gas there is for one question, however many they are; a few calls stay as they are. */
export function boundedSimulation(simulation: NodeObject): NodeObject {
  const blocks = simulation.blockStateCalls as { calls?: NodeObject[] }[]
  const count = blocks.reduce((sum, { calls = [] }) => sum + calls.length, 0)
  if (count <= freeCalls) return simulation
  const share = mostGas / BigInt(count)
  const bounded = ({ gas, ...call }: NodeObject): NodeObject => {
    const fits = gas !== undefined && BigInt(String(gas)) <= share
    return { ...call, gas: fits ? gas : `0x${share.toString(16)}` }
  }
  return {
    ...simulation,
    blockStateCalls: blocks.map((block) => (block.calls ? { ...block, calls: block.calls.map(bounded) } : block)),
  }
}
