import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import { feeRefusal, feesWithin, withMargin } from '../values/fees.ts'

/** After a cancellation that failed at once, because a key is lost, the next one for the same nonce waits for so long. */
const cooldownMs = 60_000

/**
 * An unused nonce below one in use blocks every later transaction of the account, so an empty transaction takes it. The
 * gaps are read from the store each time: after a crash, or a cancellation that failed, the next call repairs them (W6).
 * Call it in the queue of the account. Returns whether it must be called again because the account is
 * too poor, or gas too dear, for now.
 */
export async function cancelGaps(
  ports: Pick<Ports, 'clock' | 'outbox' | 'tradingSettings'>,
  chain: Chain,
  from: Hex,
): Promise<boolean> {
  const chainId = chain.info.id
  // A nonce for which the node has a transaction is no gap: the owner of the key may have sent one without the gateway.
  const floor = await chain.nonce(from, 'pending')
  const gaps = missing(floor, await ports.outbox.takenNonces(chainId, from, floor))
  if (gaps.length === 0) return false
  const [{ native }, market, gas, dataFee] = await Promise.all([
    chain.balances(from, []),
    chain.fees(),
    chain.emptyGas(from),
    chain.dataFee([{ data: '0x' }]),
  ])
  const most = ports.tradingSettings.maxFeePerGas
  if (feeRefusal(market, most) !== null) return true
  const { maxFeePerGas } = feesWithin(market, most)
  for (const [index, nonce] of gaps.entries()) {
    if (native < (gas * maxFeePerGas + withMargin(dataFee)) * BigInt(index + 1)) return true
    const call = { to: from, data: '0x', value: 0n } as const
    const legs = [{ kind: 'gap', call, gas }] as const
    const period = Math.floor(ports.clock.now().getTime() / cooldownMs)
    const reference = { kind: 'gap', id: `${from.toLowerCase()}:${nonce}:${period}` } as const
    await ports.outbox.reserve({ chainId, from, reference, legs, floor, at: nonce })
  }
  return false
}

function missing(floor: number, taken: readonly number[]): number[] {
  const length = Math.max(0, (taken.at(-1) ?? floor) - floor)
  const used = new Set(taken)
  return Array.from({ length }, (_, index) => floor + index).filter((nonce) => !used.has(nonce))
}
