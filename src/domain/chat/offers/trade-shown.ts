import type { contract } from '../../../contract/index.ts'
import type { OutputOf } from '../../../contract/shared/operation.ts'
import { neverAborts } from '../../../kit/values.ts'
import { DomainError } from '../../core/errors.ts'
import type { Ports } from '../../ports/index.ts'
import { presentExecution } from '../../trading/present-execution.ts'
import { execute } from '../../trading/trade.ts'
import { swapOfQuote } from '../../values/swap.ts'
import { chainOf, knownToken } from '../../values/tokens.ts'
import { assistantCall } from '../tools/assistant-call.ts'
import { type AnswerContext, dealText, type Shown, walletOf } from './offer.ts'
import { isExpired, type RenewPorts, renew } from './renew-offer.ts'

export type TradePorts = RenewPorts | keyof Parameters<typeof execute>[0]

/**
 * Trades a confirmed quote and reports the outcome. The quote's id is the idempotency key: the same sentence, however
 * often and wherever it is sent, is one trade.
 */
export async function* tradeShown(
  ports: Pick<Ports, TradePorts>,
  context: AnswerContext,
  shown: Shown,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  const { offered, quote } = shown
  context.noteQuote(quote.id)
  // The gateway has checked that the session may chat; a confirmation is a trade.
  if (context.grant !== null && !context.grant.scopes.includes('trade')) {
    yield 'Nothing was traded. This session may not trade: it lacks the scope trade. Trade in another session.'
    return
  }
  const deal = `quote ${quote.id}, ${dealText(ports, quote)}, from your wallet ${walletOf(offered)}`
  yield `Trading ${deal}. Stopping this answer does not stop the trade.\n`
  try {
    yield outcomeText(await trade(ports, context, shown))
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure
    const known = await ports.executions.findByKey(context.userId, quote.id)
    if (known?.quoteId === quote.id) yield unknownOutcomeText(quote.id, failure)
    else if (known === null && isExpired(ports, shown)) yield* renew(ports, context, shown, stopped)
    else yield refusedText(failure)
  }
}

async function trade(
  ports: Pick<Ports, TradePorts>,
  { userId, sessionId, grant }: AnswerContext,
  { offered, quote }: Shown,
): Promise<Outcome> {
  const exact = { amount_in: quote.amountIn.toString(), amount_in_currency: 'base_units' } as const
  const request = {
    input: { ...swapOfQuote(quote), ...exact, simulate_only: false },
    confirm: true,
    skip_risk: false,
    wallet_ref: walletOf(offered),
    idempotency_key: quote.id,
    quote_id: quote.id,
    agent: 'trading_team',
  }
  const call = assistantCall<typeof contract.trading.execute>({ userId, sessionId, grant }, neverAborts)
  const answer = await execute(ports, request, call)
  const { execution_id: id } = answer
  const execution = id === undefined ? null : await ports.executions.find(userId, id)
  const chain = chainOf(ports.chains, quote.chainId, 'quote')
  const symbolOf = (address: string) => knownToken(chain, address)?.symbol ?? address
  return {
    answer,
    execution: execution === null ? null : await presentExecution(ports, execution),
    symbols: { sold: symbolOf(quote.tokenIn), received: symbolOf(quote.tokenOut), gas: chain.info.nativeSymbol },
  }
}

type Answer = OutputOf<typeof contract.trading.execute>
type Execution = OutputOf<typeof contract.trading.getExecution>

/** The response to a confirmed trade, its execution (null where nothing was sent), and the symbols of its amounts. */
export type Outcome = {
  answer: Answer
  execution: Execution | null
  symbols: { sold: string; received: string; gas: string }
}

/** The outcome of a trade, from its records alone, and the next step. */
export function outcomeText({ answer, execution, symbols }: Outcome): string {
  const again = answer.replayed === true ? 'This quote was confirmed before, and is traded once.' : null
  if (execution === null) {
    return lines(`Status ${answer.status}. ${answer.message}`, 'Nothing was sent. Next: ask for another quote.')
  }
  const { status, message, execution_id: id, tx_hash: hash, explorer_url: url, awaits } = execution
  return lines(
    again,
    `Status ${status}. ${message}`,
    awaits === undefined ? null : `The account confirms it at ${awaits.url} until ${awaits.until}.`,
    hash === undefined ? null : `Transaction ${hash}, see ${url}`,
    fillText(execution, symbols),
    `Execution ${id}. ${nextSteps[status]}`,
  )
}

const nextSteps: Readonly<Record<Execution['status'], string>> = {
  success: 'Next: ask for your positions, or for this execution to see whether its block is final.',
  pending:
    'Next: ask for this execution in a moment. Sending the same sentence again shows its status and trades nothing twice.',
  failed: 'Next: look at the transaction, then ask for another quote.',
  simulated: 'Nothing was sent.',
  rejected: 'Nothing was sent.',
}

const finalityTexts = {
  unsafe: 'it is not final yet, and may still leave the chain',
  safe: 'it is safe, and final soon',
  finalized: 'it is final',
} as const

function fillText({ fill }: Execution, { sold, received, gas }: Outcome['symbols']): string | null {
  if (fill === undefined) return null
  const { amount_in, amount_out, fee_native, block_number, finality = 'unsafe' } = fill
  const filled = `${amount_in} ${sold} sold, ${amount_out} ${received} received, ${fee_native} ${gas} paid for gas`
  return `Filled: ${filled}. Block ${block_number}: ${finalityTexts[finality]}.`
}

/** A trade that was refused before anything was sent. */
function refusedText({ message }: DomainError): string {
  return `Nothing was traded. ${message}`
}

/** A trade that was begun, and whose status cannot be read now. */
function unknownOutcomeText(quoteId: string, { message }: DomainError): string {
  return `The status of the trade is not known yet: ${message} Send the same sentence again, confirm ${quoteId}, to see it; it trades nothing twice.`
}

function lines(...sentences: (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join('\n')
}
