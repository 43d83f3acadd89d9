import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { agentTools } from '../../../contract/agents/tools.ts'
import type { contract } from '../../../contract/index.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import { executionAnswer } from './account-tools.ts'
import { type Heard, type Question, stale } from './dialogue.ts'
import type { ToolRun } from './run.ts'
import { swapAnswer, swapOf } from './swap-tools.ts'

type Fields = z.output<(typeof agentTools)['trade']['input']>
type Answer = z.input<(typeof agentTools)['trade']['output']>
type Executed = z.output<typeof contract.trading.execute.output>

/**
 * Trades, where the session may do that without a person. Where the client shows forms a person is asked first, about a trade
 * that would be made; what the account confirms waits, and the answer has the link.
 */
export async function trade(fields: Fields, run: ToolRun): Promise<Answer | Question> {
  const { dialogue, overMcp } = run
  const heard = await dialogue.heard()
  if (heard !== null) return await decided(fields, run, heard)
  if (!dialogue.showsForms)
    return answerOf(await execute(fields, run, overMcp === 'every_trade' ? { await_confirmation: true } : {}))
  const made = await execute(fields, run, { ask_first: true })
  if (made.executed.status !== 'simulated') return answerOf(made)
  const { executed, quoteId } = made
  const until = Date.parse(executed.quote?.expires_at ?? '')
  const asked = { tool: 'trade', digest: digestOf(fields), quoteId, until, confirmationId: run.newId() }
  return await dialogue.ask(cardOf(fields, run, executed), asked)
}

async function decided(fields: Fields, run: ToolRun, { asked, agreed, isLate }: Heard): Promise<Answer> {
  const { tool, digest, quoteId, confirmationId } = asked
  if (tool !== 'trade' || digest !== digestOf(fields)) throw stale('The person was asked about another trade.')
  if (agreed) {
    const confirmed = execute({ ...fields, quote_id: quoteId }, run, { confirmation_id: confirmationId })
    const made = await confirmed.catch((thrown: unknown) => {
      const hasEnded = isLate && thrown instanceof DomainError && thrown.code === 'FAILED_PRECONDITION'
      throw hasEnded ? stale('The answer came after the quote had ended.', thrown) : thrown
    })
    return answerOf(made)
  }
  const made = await madeBy(quoteId, run)
  if (made !== null) return made
  return { status: 'rejected', message: 'The person did not agree. Nothing was traded.', quote_id: quoteId }
}

/** The trade of a quote to which the person agreed before; null where there is none, or the session may not read it. */
async function madeBy(quoteId: string, { call }: ToolRun): Promise<Answer | null> {
  const made = await call('trading.getExecution', () => ({ idempotency_key: keyOf(quoteId) })).catch(
    (thrown: unknown) => {
      if (thrown instanceof DomainError && ['NOT_FOUND', 'PERMISSION_DENIED'].includes(thrown.code)) return null
      throw thrown
    },
  )
  return made === null ? null : { ...executionAnswer(made), replayed: true }
}

type Confirmed = { await_confirmation?: true; ask_first?: true; confirmation_id?: string }

/** What became of a trade, and the quote that it was requested with. */
type Made = { executed: Executed; quoteId: string }

/** The quote makes the idempotency key: a call that is repeated finds its own trade, also after the quote has ended. */
function keyOf(quoteId: string): string {
  return `mcp-${quoteId}`
}

async function execute(fields: Fields, { call, words }: ToolRun, confirmed: Confirmed): Promise<Made> {
  const { wallet_ref } = fields
  let quoteId = fields.quote_id ?? ''
  const executed = await call('trading.execute', (part) => {
    const input = swapOf(fields, words)
    const requested = () => {
      const bound = { quote_id: quoteId, idempotency_key: keyOf(quoteId) }
      return { input: { ...input, simulate_only: false }, confirm: true, wallet_ref, ...bound, ...confirmed }
    }
    if (quoteId !== '') return requested()
    return part('trading.quote', { input, wallet_ref }).then(({ quote_id }) => {
      quoteId = quote_id
      return requested()
    })
  })
  return { executed, quoteId }
}

/** An approval evaluates a trade by another quote, by which the trade would not be found. */
function answerOf({ executed, quoteId }: Made): Answer {
  return { ...swapAnswer(executed), quote_id: quoteId }
}

function digestOf(fields: Fields): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** The trade in sentences, in the words of the gateway alone. */
function cardOf(fields: Fields, { words }: ToolRun, { expected_out, minimum_out, risk, quote }: Executed): string {
  const chainId = words.chainId(fields.chain_id)
  const [sold, bought] = [
    words.token(chainId, fields.token_in_address, ''),
    words.token(chainId, fields.token_out_address, ''),
  ]
  const [about, least] = [short(expected_out ?? ''), short(minimum_out ?? '')]
  return [
    `You sell ${fields.amount_in} ${sold.symbol}, you receive about ${about} ${bought.symbol}, at least ${least}.`,
    `Wallet ${fields.wallet_ref} on ${words.chainName(chainId)}.`,
    ...(risk === undefined ? [] : [`The risk is ${risk.level}.`]),
    ...(quote?.warning === undefined ? [] : [quote.warning]),
    `The price holds until ${quote?.expires_at.slice(11, 19)} UTC.`,
  ].join(' ')
}

/** A decimal cut to six digits that count, so that what is at least received is never more than it says: 1,246.18. */
function short(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const shown = fraction.slice(0, whole === '0' ? zeros + 6 : Math.max(0, 6 - whole.length)).replace(/0+$/, '')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return shown === '' ? grouped : `${grouped}.${shown}`
}
