import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/operation.ts'
import { DomainError } from '../errors.ts'
import { type Hex, nativeToken } from '../ports/chains.ts'
import type { Ports } from '../ports.ts'
import { type ExecuteInput, quoteFor } from './bind-quote.ts'
import { whenFunded } from './funding.ts'
import { formatUnits } from './money.ts'
import { minimumOut } from './price-impact.ts'
import { presentQuote, type QuotePorts } from './quote.ts'
import { readSwap, type Swap } from './swap.ts'
import { tradeRisk } from './trade-risk.ts'

export type SimulateNeeds = QuotePorts | 'hashing' | 'outbox' | 'wallets'
type Answer = OutputOf<typeof contract.trading.execute>

/** Seconds that a swap may wait for its block before it reverts. */
export const swapPatienceSeconds = 180n

/** Tries the swap out at the newest block, as the wallet named or as somebody who has the tokens. Nothing is sent. */
export async function simulate(
  ports: Pick<Ports, SimulateNeeds>,
  userId: number,
  request: ExecuteInput,
): Promise<Answer> {
  const asked = await readSwap(ports.chains, request.input)
  const wallet = request.wallet_ref === undefined ? null : await walletOf(ports, userId, request.wallet_ref)
  const quote = await quoteFor(ports, userId, request, asked, wallet?.address ?? null)
  const swap = { ...asked, amountIn: quote.amountIn }
  const shown = presentQuote(quote, ports.chains)
  const answer = {
    quote: shown,
    expected_out: shown.expected_out,
    minimum_out: formatUnits(minimumOut(quote.expectedOut, quote.slippageBps), swap.tokenOut.decimals),
  }
  const lacking = wallet === null ? null : await lackOf(swap, wallet.address)
  if (lacking !== null) return { status: 'failed', message: `It would fail: ${lacking}`, ...answer }

  const owner = wallet?.address ?? (`0x${ports.hashing.sha256(ports.ids.uuid()).slice(0, 40)}` as Hex)
  const { timestamp } = await swap.chain.head()
  const plan = {
    route: quote.route,
    owner,
    amountIn: quote.amountIn,
    minimumOut: minimumOut(quote.expectedOut, quote.slippageBps),
  }
  const [tried, risk] = await Promise.all([
    swap.chain.simulateSwap({ ...plan, deadline: timestamp + swapPatienceSeconds }, { fundOwner: true }),
    tradeRisk(request, swap, quote),
  ])
  const report = risk.report === null ? {} : { risk: risk.report }
  if (!tried.ok)
    return { status: 'failed', message: `It would fail: ${tried.reason}. ${tried.advice}`, ...answer, ...report }
  const out = formatUnits(tried.amountOut, swap.tokenOut.decimals)
  const deal = `${formatUnits(swap.amountIn, swap.tokenIn.decimals)} ${swap.tokenIn.symbol} would yield ${out} ${swap.tokenOut.symbol}`
  const warning = risk.refusal === null ? '' : ` A real trade would be rejected: ${risk.refusal}`
  return {
    status: 'simulated',
    message: `Simulated at block ${tried.block.number}: ${deal}. Nothing was sent.${warning}`,
    ...answer,
    ...report,
    expected_out: out,
    gas_used: tried.gas.toString(),
  }
}

/** The account's wallet of that name, once its starting money is there; NOT_FOUND otherwise. */
export async function walletOf(ports: Pick<Ports, 'outbox' | 'wallets'>, userId: number, ref: string) {
  const wallet = await ports.wallets.find(userId, ref)
  if (wallet === null)
    throw new DomainError('NOT_FOUND', `You have no wallet ${ref}; list your wallets for their names.`)
  return await whenFunded(ports, wallet)
}

/** Says how much of the token in the wallet holds where that is too little, else null. */
export async function lackOf({ chain, tokenIn, amountIn }: Swap, wallet: Hex): Promise<string | null> {
  const isNative = tokenIn.address === nativeToken
  const { native, tokens } = await chain.balances(wallet, isNative ? [] : [tokenIn.address])
  const held = isNative ? native : (tokens[0] ?? 0n)
  if (held >= amountIn) return null
  const say = (amount: bigint) => `${formatUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`
  return `the wallet holds ${say(held)}, and the trade needs ${say(amountIn)}. Trade less, or pay some in.`
}
