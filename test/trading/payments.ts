import { encodeFunctionData, parseAbi } from 'viem'
import { expect } from 'vitest'
import { parseExact } from '../../src/adapters/storage/connection/exact-json.ts'
import { BookingEntity } from '../../src/adapters/storage/entities/books.ts'
import { type Hex, nativeToken } from '../../src/domain/ports/chains.ts'
import type { Entry } from '../../src/domain/ports/ledger.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import type { TradingWorld } from './world.ts'

const transfer = parseAbi(['function transfer(address, uint256) returns (bool)'])

/**
 * Makes payments that are not booked; each resolves once the payer has no open transactions. `expectFound` compares the
 * deposits that the books found with the payments, so that a wrong fill cannot pass for a payment.
 */
export function payerIn(world: TradingWorld) {
  let sent = 0
  const paid = new Map<string, bigint>()
  const add = (sums: Map<string, bigint>, key: string, units: bigint) => sums.set(key, (sums.get(key) ?? 0n) + units)

  async function pay(from: { address: Hex }, to: { address: Hex }, token: Hex, units: bigint): Promise<void> {
    const args = [to.address, units] as const
    const call =
      token === nativeToken
        ? { to: to.address, data: '0x' as Hex, value: units }
        : { to: token, data: encodeFunctionData({ abi: transfer, args }), value: 0n }
    const reference = { kind: 'gap', id: `outside-${++sent}` } as const
    const legs = [{ kind: 'gap', call, gas: 90_000n }] as const
    await world.ports.sender.send({ chain: world.chain, from: from.address, reference, legs })
    await until(async () => !(await world.ports.outbox.busy(world.chain.info.id, from.address)), 'the payment')
    add(paid, `${from.address} ${token}`.toLowerCase(), -units)
    add(paid, `${to.address} ${token}`.toLowerCase(), units)
  }

  async function expectFound({ userId, address }: { userId: number; address: Hex }): Promise<void> {
    const where = { place: { $like: `${userId} %` }, reference: { $like: 'found:%' } }
    const found = new Map<string, bigint>()
    for (const { entries } of await world.database.tables.find(BookingEntity, where)) {
      for (const { account, token, quantity } of parseExact<Entry[]>(entries))
        if (account === 'outside') add(found, `${address} ${token}`.toLowerCase(), -quantity)
    }
    const theirs = [...paid].filter(([key]) => key.startsWith(address.toLowerCase()))
    const sums = (of: Iterable<[string, bigint]>) => Object.fromEntries([...of].filter(([, sum]) => sum !== 0n))
    expect(sums(found)).toEqual(sums(theirs))
  }

  return { pay, expectFound }
}
