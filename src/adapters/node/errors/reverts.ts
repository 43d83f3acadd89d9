import { BaseError, decodeErrorResult, type Hex, isHex, parseAbi, RawContractError, RpcRequestError } from 'viem'

const standardErrors = parseAbi(['error Error(string reason)', 'error Panic(uint256 code)'])
const noReason = 'it gave no reason'

/** Why a call reverted, in the contract's words; null where the error is no revert. */
export function revertOf(error: unknown): string | null {
  const data = revertData(error)
  if (data !== null) return reasonOf(data)
  const text =
    error instanceof BaseError ? `${error.shortMessage} ${error.details}` : error instanceof Error ? error.message : ''
  const match = /execution reverted(?::\s*(.+))?/i.exec(text)
  return match === null ? null : clipped(match[1] ?? '')
}

/** The words of a revert's payload: its string, the name of a panic, or the selector of an error of its own. */
export function reasonOf(data: Hex): string {
  if (data === '0x') return noReason
  try {
    const { errorName, args } = decodeErrorResult({ abi: standardErrors, data })
    return errorName === 'Error' ? clipped(args[0]) : `panic 0x${args[0].toString(16)}`
  } catch {
    return `error ${data.slice(0, 10)}`
  }
}

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
    /Too little received|INSUFFICIENT_OUTPUT_AMOUNT/i,
    'The price moved beyond the slippage, or the token takes a tax of its transfers: ask for a new quote and check the risk, or allow more slippage_bps.',
  ],
  [/Transaction too old|EXPIRED/i, 'It was mined after its deadline: send it again.'],
  [/INSUFFICIENT_LIQUIDITY|^SPL$|^AS$/i, 'The pool is too thin: sell less.'],
  [
    /would arrive/i,
    'The token keeps a tax of its transfers, or the price moved: ask for a new quote and check the risk.',
  ],
  [/UniswapV2: K|TRANSFER_FAILED|^TF$|^IIA$/i, 'The token taxes or blocks transfers: check its risk before any trade.'],
  [/blacklist|selling is off|paused|trading/i, 'The token blocks this transfer: do not trade it.'],
  [
    /^it gave no reason$/,
    'There may be no such pool, or the token blocks the transfer: ask for a new quote and check the risk.',
  ],
  [/out of gas|OutOfGas/i, 'It ran out of gas: send it again.'],
]

/** What a contract says where it could not take a token from the one who sells it. */
const untaken = /^STF$|TRANSFER_FROM_FAILED|(insufficient|exceeds) (allowance|balance)/i

/** What the caller can change about a revert; `funded` where the balance and the approval were certainly there. */
export function adviceFor(reason: string, { funded }: { funded: boolean }): string {
  if (funded && untaken.test(reason))
    return 'The balance and the approval are there, so the token refuses the transfer: check its risk before any trade.'
  return advices.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Ask for a new quote and try again.'
}

function revertData(error: unknown): Hex | null {
  let found: Hex | null = null
  const look = (inner: unknown) => {
    const data = inner instanceof RawContractError ? inner.data : (inner as { data?: unknown } | null)?.data
    const hex = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data
    const code = (inner as { code?: unknown } | null)?.code
    const reverted =
      code === 3 ||
      inner instanceof RawContractError ||
      (inner instanceof RpcRequestError && /revert/i.test(inner.message))
    if (found === null && isHex(hex) && hex.length % 2 === 0 && reverted) found = hex
    return false
  }
  if (error instanceof BaseError) error.walk(look)
  else look(error)
  return found
}

/** A contract chooses its words: what is not printable ASCII is dropped, and the rest is cut. */
function clipped(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '')
  return printable.slice(0, 200).trim() || noReason
}
