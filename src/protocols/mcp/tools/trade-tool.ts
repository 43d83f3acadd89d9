import { createHash } from 'node:crypto'
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
 * Trades, where the session may do that without a person. Where the client shows forms a person is asked first, about a trade
 * that would be made; what the account confirms waits, and the answer has the link.
 */
export async function trade(fields: Fields, run: ToolRun): Promise<Answer | Question> {
  const { dialogue, overMcp } = run
  const heard = await dialogue.heard()
  if (heard !== null) return await decided(fields, run, heard)
  if (!dialogue.showsForms)
    return swapAnswer(await execute(fields, run, overMcp === 'every_trade' ? { await_confirmation: true } : {}))
  const executed = await execute(fields, run, { ask_first: true })
  return executed.status === 'simulated' ? await ask(fields, run, executed) : swapAnswer(executed)
}

async function ask(fields: Fields, run: ToolRun, simulated: Executed): Promise<Question> {
  const { quote } = simulated
  if (quote === undefined) throw new Error('A simulation came without its quote.')
  return await run.dialogue.ask(cardOf(fields, run, simulated), {
    tool: 'trade',
    digest: digestOf(fields),
    quoteId: quote.quote_id,
    until: Date.parse(quote.expires_at),
    confirmationId: run.newId(),
  })
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
  return swapAnswer(await execute({ ...fields, quote_id: quoteId }, run, { confirmation_id: confirmationId }))
}

type Confirmed = { await_confirmation?: true; ask_first?: true; confirmation_id?: string }

/** The quote makes the idempotency key: a call that is repeated finds its own trade, also after the quote has ended. */
async function execute(fields: Fields, { call, part, words }: ToolRun, confirmed: Confirmed): Promise<Executed> {
  const { wallet_ref } = fields
  return await call('trading.execute', async () => {
    const input = swapOf(fields, words)
    const quote_id = fields.quote_id ?? (await part('trading.quote', () => ({ input, wallet_ref }))).quote_id
    const key = { quote_id, idempotency_key: `mcp-${quote_id}` }
    return { input: { ...input, simulate_only: false }, confirm: true, wallet_ref, ...key, ...confirmed }
  })
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
