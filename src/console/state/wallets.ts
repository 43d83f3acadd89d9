import { signal } from '@preact/signals'
import type { Wallet } from '../../../generated/client/index.d.ts'
import { gateway } from '../gateway/client.ts'
import { pause } from '../gateway/streams.ts'
import { info } from './facts.ts'

/** The wallets of the account; empty until they are read. */
export const wallets = signal<readonly Wallet[]>([])

/** Forgets the wallets of a session that has ended. */
export function forgetWallets(): void {
  wallets.value = []
}

/** Milliseconds until the first look at a wallet whose funds are on their way, and the most between two. */
const looks = { firstMs: 400, mostMs: 10_000 }

/** Reads the wallets, and again until the funds that a sandbox pays have arrived. The signal ends the looks. */
export async function readWallets(signal: AbortSignal): Promise<void> {
  const read = await gateway.trading.listWallets.query({})
  if (signal.aborted) return
  wallets.value = read
  void lookAgain(signal)
}

async function lookAgain(signal: AbortSignal): Promise<void> {
  for (let wait = looks.firstMs; wallets.value.some(isAwaited); wait = Math.min(wait * 1.5, looks.mostMs)) {
    await pause(wait, signal)
    if (signal.aborted) return
    // A look that fails is made again; what the page reads besides tells the failure.
    const read = await gateway.trading.listWallets.query({}).catch(() => wallets.value)
    if (!signal.aborted) wallets.value = read
  }
}

/** True while funds from the gateway are on their way to the wallet. */
export function isAwaited({ funded, funding_error }: Wallet): boolean {
  return info.value?.sandbox === true && !funded && funding_error === undefined
}
