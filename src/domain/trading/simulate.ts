import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import { forbiddenAlone, judgedTrade } from '../policies/trade-policy.ts'
import type { Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import { type ExecuteInput, quoteFor } from '../quoting/bind-quote.ts'
import { presentQuote, type QuotePorts } from '../quoting/quote.ts'
import { formatUnits } from '../values/money.ts'
import { minimumOut } from '../values/price-impact.ts'
import { readSwap } from '../values/swap.ts'
import { whenFunded } from '../wallets/funding.ts'
import { tradeRisk } from './trade-risk.ts'
import { lackOf, lackOfGas } from './wallet-lacks.ts'

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
  const poor = (lacking: string): Answer => ({
    status: 'rejected',
    message: `It would be refused: ${lacking}`,
    ...answer,
  })
  const lacking = wallet === null ? null : await lackOf(swap, wallet.address)
  if (lacking !== null) return poor(lacking)

  const owner = wallet?.address ?? (`0x${ports.hashing.sha256(ports.ids.uuid()).slice(0, 40)}` as Hex)
  const { timestamp } = await swap.chain.head()
  const plan = {
    route: quote.route,
    owner,
    amountIn: quote.amountIn,
    minimumOut: minimumOut(quote.expectedOut, quote.slippageBps),
    deadline: timestamp + swapPatienceSeconds,
  }
  const [tried, risk, barred] = await Promise.all([
    swap.chain.simulateSwap(plan, { fundOwner: true }),
    tradeRisk(request, swap, quote),
    judgedTrade(swap, quote).then((judged) => forbiddenAlone(ports, judged, wallet?.address ?? null)),
  ])
  const report = risk.report === null ? {} : { risk: risk.report }
  if (!tried.ok)
    return { status: 'failed', message: `It would fail: ${tried.reason}. ${tried.advice}`, ...answer, ...report }
  const gasless = wallet === null ? null : await lackOfGas(swap, wallet.address, await swap.chain.swapLegs(plan))
  if (gasless !== null) return { ...poor(gasless), ...report }
  const out = formatUnits(tried.amountOut, swap.tokenOut.decimals)
  const deal = `${formatUnits(swap.amountIn, swap.tokenIn.decimals)} ${swap.tokenIn.symbol} would yield ${out} ${swap.tokenOut.symbol}`
  const refusal = barred ?? risk.refusal
  const warning = refusal === null ? '' : ` A real trade would be rejected: ${refusal}`
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
