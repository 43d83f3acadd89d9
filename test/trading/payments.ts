import { encodeFunctionData, parseAbi } from 'viem'
import { type Hex, nativeToken } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import type { TradingWorld } from './world.ts'

const transfer = parseAbi(['function transfer(address, uint256) returns (bool)'])

/** Makes payments that the books are told nothing of; each settles once nothing of the payer is under way. */
export function payerIn(world: TradingWorld) {
  let sent = 0
  return async (from: { address: Hex }, to: { address: Hex }, token: Hex, units: bigint): Promise<void> => {
    const args = [to.address, units] as const
    const call =
      token === nativeToken
        ? { to: to.address, data: '0x' as Hex, value: units }
        : { to: token, data: encodeFunctionData({ abi: transfer, args }), value: 0n }
    const reference = `gap:outside-${++sent}`
    const legs = [{ kind: 'gap', call, gas: 90_000n }] as const
    await world.ports.sender.send({ chain: world.chain, from: from.address, reference, legs })
    await until(async () => !(await world.ports.outbox.busy(world.chain.info.id, from.address)), 'the payment', 15_000)
  }
}
