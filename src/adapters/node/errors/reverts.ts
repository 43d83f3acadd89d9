import { decodeErrorResult, type Hex, parseAbi } from 'viem'
import { failureIn } from './failures.ts'

const standardErrors = parseAbi(['error Error(string reason)', 'error Panic(uint256 code)'])
const noReason = 'it gave no reason'

/** Why a call reverted, as the contract says; null where the error is not a revert. */
export function revertOf(error: unknown): string | null {
  const failure = failureIn(error)
  if (failure?.code !== 'EXECUTION_REVERTED') return null
  const data = failure.details.metadata?.data as Hex | undefined
  if (data !== undefined && data !== '0x') return reasonOf(data)
  return clipped(/^execution reverted: (.+)/s.exec(failure.message)?.[1] ?? '')
}

/** The text of a revert's payload: its string, the name of a panic, or the selector of a custom error. */
export function reasonOf(data: Hex): string {
  if (data === '0x') return noReason
  try {
    const { errorName, args } = decodeErrorResult({ abi: standardErrors, data })
    return errorName === 'Error' ? clipped(args[0]) : `panic 0x${args[0].toString(16)}`
  } catch {
    return `error ${data.slice(0, 10)}`
  }
}

/** Revert texts of a router for a swap that brings less than its minimum. */
const tooLittle = /Too little received|INSUFFICIENT_OUTPUT_AMOUNT/i

const advices: readonly [RegExp, string][] = [
  [
    /^STF$|TRANSFER_FROM_FAILED|insufficient allowance|exceeds allowance/i,
    'The wallet lacks the token or the approval, or the token refuses the transfer: check its balance and the risk.',
  ],
  [
    /insufficient balance|exceeds balance/i,
    'The wallet does not hold that much of the token: check its balance, or sell less.',
  ],
  [
    tooLittle,
    'The price moved beyond the slippage, or the token taxes its transfers: request a new quote and check the risk, or allow more slippage_bps.',
  ],
  [/Transaction too old|EXPIRED/i, 'It was mined after its deadline: send it again.'],
  [/INSUFFICIENT_LIQUIDITY|^SPL$|^AS$/i, 'The pool is too thin: sell less.'],
  [/OVERFLOW|SafeCast/i, 'The amount is more than a pool can take: sell less.'],
  [/would arrive/i, 'The token taxes its transfers, or the price moved: request a new quote and check the risk.'],
  [/UniswapV2: K|TRANSFER_FAILED|^TF$|^IIA$/i, 'The token taxes or blocks transfers: check its risk before any trade.'],
  [/blacklist|selling is off|paused|trading/i, 'The token blocks this transfer: do not trade it.'],
  [
    /^it gave no reason$/,
    'There may be no such pool, or the token blocks the transfer: request a new quote and check the risk.',
  ],
  [/out of gas|OutOfGas/i, 'It ran out of gas: send it again.'],
]

/** Revert texts of a failed token transfer from the seller. */
const untaken = /^STF$|TRANSFER_FROM_FAILED|(insufficient|exceeds) (allowance|balance)/i

/** Advice on a revert; `funded` is true where the balance and the approval were sufficient. */
export function adviceFor(reason: string, { funded }: { funded: boolean }): string {
  if (funded && untaken.test(reason))
    return 'The balance and the approval are there, so the token refuses the transfer: check its risk before any trade.'
  return advices.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Request a new quote and try again.'
}

/** Whether a router reverted because a swap brings less than its minimum. */
export function isBelowMinimum(reason: string): boolean {
  return tooLittle.test(reason)
}

/** The contract chooses this text, so only printable ASCII is returned, and it is cut. */
function clipped(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '')
  return printable.slice(0, 200).trim() || noReason
}
