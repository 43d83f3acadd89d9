import { signal } from '@preact/signals'
import type {
  Execution,
  TradingConfirmExecutionInput,
  TradingExecuteOutput,
} from '../../../generated/client/index.d.ts'
import { gateway, withToken } from '../gateway/client.ts'
import { pause, whileShown } from '../gateway/streams.ts'
import { ownerToken } from './owner.ts'

/** Milliseconds between two looks at what waits. */
const lookMs = 10_000

/** Trades of agents that wait for the account, newest first. */
export const waiting = signal<readonly Execution[]>([])

/** Whether they were read once. */
export const isRead = signal(false)

/** Looks for trades that wait while the page is shown. Returns what ends it. */
export function followWaiting(): () => void {
  return whileShown((shown) => void look(shown))
}

async function look(shown: AbortSignal): Promise<void> {
  while (!shown.aborted) {
    // A look that fails is made again; what the page reads besides tells the failure.
    const input = { state: 'awaiting_confirmation', limit: 100 } as const
    const read = await gateway.trading.listExecutions.query(input).catch(() => null)
    if (read !== null && !shown.aborted) {
      waiting.value = read.items
      isRead.value = true
    }
    await pause(lookMs, shown)
  }
}

/** A risk that has to be accepted, by the word of an approval. */
export type RiskWord = NonNullable<TradingConfirmExecutionInput['acknowledge']>[number]

/** Approves or declines a trade as the account, with the risk that it accepts. */
export async function decide(
  { execution_id }: Execution,
  approve: boolean,
  acknowledge: RiskWord[] = [],
): Promise<TradingExecuteOutput> {
  const decision = { execution_id, approve, acknowledge }
  const outcome = await gateway.trading.confirmExecution.mutate(decision, withToken(ownerToken()))
  waiting.value = waiting.value.filter((other) => other.execution_id !== execution_id)
  return outcome
}

/** Forgets what waits for an account whose session has ended. */
export function forgetWaiting(): void {
  waiting.value = []
  isRead.value = false
}
