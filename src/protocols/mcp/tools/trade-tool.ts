import { createHash, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { agentTools } from '../../../contract/agents/tools.ts'
import type { contract } from '../../../contract/index.ts'
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
  const request = { input: swapOf(fields, run.words), wallet_ref: fields.wallet_ref }
  const bound = fields.quote_id === undefined ? {} : { quote_id: fields.quote_id }
  const simulated = await run.call('trading.execute', () => ({ ...request, ...bound }))
  const { quote, transactions } = simulated
  // Only a trade that would be made has transactions.
  if (quote === undefined || transactions === undefined) return swapAnswer(simulated)
  const { quote_id: quoteId, expires_at: until } = quote
  if (!run.dialogue.showsForms || simulated.confirmation_needed === true)
    return await make(fields, run, quoteId, { await_confirmation: true })
  const asked = {
    tool: 'trade',
    digest: digestOf(fields),
    quoteId,
    until: Date.parse(until),
    confirmationId: randomUUID(),
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

type Confirmed = { await_confirmation: true } | { confirmation_id: string }

/** The quote makes the idempotency key: a call that is repeated finds its own trade. */
async function make(fields: Fields, { call, words }: ToolRun, quoteId: string, confirmed: Confirmed): Promise<Answer> {
  const { wallet_ref } = fields
  const input = () => ({ ...swapOf(fields, words), simulate_only: false })
  const key = { quote_id: quoteId, idempotency_key: `mcp-${quoteId}` }
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
  return [
    `You sell ${fields.amount_in} ${sold.symbol}, you receive about ${expected_out} ${bought.symbol}, at least ${minimum_out}.`,
    `Wallet ${fields.wallet_ref} on ${words.chainName(chainId)}.`,
    ...(risk === undefined ? [] : [`The risk is ${risk.level}.`]),
    ...(quote?.warning === undefined ? [] : [quote.warning]),
    `The price holds for half a minute.`,
  ].join(' ')
}
