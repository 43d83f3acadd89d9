import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { agentTools } from '../../../contract/agents/tools.ts'
import type { contract } from '../../../contract/index.ts'
import { executionAnswer } from './account-tools.ts'
import { type Question, stale } from './dialogue.ts'
import type { ToolRun } from './run.ts'
import { swapAnswer, swapOf } from './swap-tools.ts'

type Fields = z.output<(typeof agentTools)['trade']['input']>
type Answer = z.input<(typeof agentTools)['trade']['output']>
type Executed = z.output<typeof contract.trading.execute.output>

/**
 * Trades once a person agrees. It is simulated first, so that no person is asked about a trade that would be refused. Where
 * the client shows forms and the session may trade as much, the person agrees there; all else waits for the account, and
 * the answer has the link.
 */
export async function trade(fields: Fields, run: ToolRun): Promise<Answer | Question> {
  const heard = await run.dialogue.heard()
  if (heard !== null) return await decided(fields, run, heard)
  const known = await tradeOf(fields, run)
  if (known !== null) return known
  const request = { input: swapOf(fields, run.words), wallet_ref: fields.wallet_ref }
  const bound = fields.quote_id === undefined ? {} : { quote_id: fields.quote_id }
  const simulated = await run.call('trading.execute', () => ({ ...request, ...bound }))
  const { quote, transactions } = simulated
  // Only a trade that would be made has transactions.
  if (quote === undefined || transactions === undefined) return notMade(simulated)
  const { quote_id: quoteId, expires_at: until } = quote
  if (!run.dialogue.showsForms || simulated.confirmation_needed === true)
    return await make(fields, run, quoteId, { await_confirmation: true })
  const asked = {
    tool: 'trade',
    digest: digestOf(fields),
    quoteId,
    until: Date.parse(until),
    confirmationId: run.newId(),
  }
  return await run.dialogue.ask(cardOf(fields, run, simulated), asked)
}

async function decided(
  fields: Fields,
  run: ToolRun,
  { asked, agreed }: NonNullable<Awaited<ReturnType<ToolRun['dialogue']['heard']>>>,
): Promise<Answer> {
  const { tool, digest, quoteId, confirmationId } = asked
  if (tool !== 'trade' || digest !== digestOf(fields)) throw stale('The person was asked about another trade.')
  if (!agreed)
    return { status: 'rejected', message: 'The person did not agree. Nothing was traded.', quote_id: quoteId }
  return await make(fields, run, quoteId, { confirmation_id: confirmationId })
}

/** Trades of the last minutes are among so many of the newest. */
const newest = 20

/**
 * The trade that a quote has made already: an agent that lost the answer asks again, perhaps after the quote has ended. Its
 * person is not asked twice.
 */
async function tradeOf({ quote_id: quoteId }: Fields, { call, scopes }: ToolRun): Promise<Answer | null> {
  if (quoteId === undefined || !scopes.includes('read')) return null
  const { items } = await call('trading.listExecutions', () => ({ limit: newest }))
  const made = items.find(({ idempotency_key: key }) => key === keyOf(quoteId))
  return made === undefined ? null : { ...executionAnswer(made), replayed: true }
}

/** A trade that is refused before a person is asked. */
function notMade(simulated: Executed): Answer {
  const { status, message, ...answer } = swapAnswer(simulated)
  if (status !== 'simulated') return { status, message, ...answer }
  return { status: 'rejected', message: `Nothing was traded. ${message}`, ...answer }
}

/** The quote makes the idempotency key: a call that is repeated finds its own trade. */
function keyOf(quoteId: string): string {
  return `mcp-${quoteId}`
}

type Confirmed = { await_confirmation: true } | { confirmation_id: string }

async function make(fields: Fields, { call, words }: ToolRun, quoteId: string, confirmed: Confirmed): Promise<Answer> {
  const { wallet_ref } = fields
  const input = () => ({ ...swapOf(fields, words), simulate_only: false })
  const key = { quote_id: quoteId, idempotency_key: keyOf(quoteId) }
  return swapAnswer(
    await call('trading.execute', () => ({ input: input(), confirm: true, wallet_ref, ...key, ...confirmed })),
  )
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
