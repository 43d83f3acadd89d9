import type { RiskReport } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { pause } from '../../gateway/streams.ts'
import { Action, Field, Select, useWork } from '../../parts/forms.tsx'
import { FailureNote, Shown, useLoaded } from '../../parts/loaded.tsx'
import { usePaced } from '../../parts/paced.ts'
import { Amount } from '../../parts/values.tsx'
import { tradeChanges } from '../../state/account.ts'
import { chains } from '../../state/facts.ts'
import { isAwaited, wallets } from '../../state/wallets.ts'
import { calmMs, useLiveQuote } from './live-quote.ts'
import { chain, type Draft, draft, type Order, order, type Wrong, wallet } from './order.ts'
import { QuoteFacts } from './quote-facts.tsx'
import { Review } from './review.tsx'
import { isUndecided, review, reviewed } from './reviewed.ts'
import { Risk } from './risk.tsx'

/** A trade by form: the live price, the risk, the simulation, and after a confirmation its life. */
export function Trade() {
  const { order: wanted, wrong } = order.value
  const work = useWork(review)
  const shown = reviewed.value
  const start = (of: Order | null) => of !== null && void work.run(of)
  return (
    <>
      <Halts />
      <div class="columns">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            start(wanted)
          }}
        >
          <Fields wrong={wrong} />
          <Action class="primary" running={work.running} doing="Simulating" disabled={wanted === null || isUndecided()}>
            Simulate
          </Action>
          <p class="quiet">A simulation trades nothing. You confirm the trade after it.</p>
          {work.failure !== null && <FailureNote failure={work.failure} />}
        </form>
        {wanted === null ? (
          <p class="quiet">Choose two tokens and an amount to see the price.</p>
        ) : (
          <Price key={JSON.stringify(wanted)} order={wanted} />
        )}
      </div>
      {shown !== null && <Review key={shown.key} of={shown} form={wanted} again={() => start(wanted ?? shown.order)} />}
    </>
  )
}

/** Says where trading is halted, or cannot start yet. */
function Halts() {
  const halted = chains.value.filter((each) => each.halted)
  return (
    <>
      {halted.map(({ chain_id, name }) => (
        <p key={chain_id} class="note bad" role="alert">
          An operator halted trading on {name}. Prices and simulations go on; a real trade is refused until the halt is
          lifted.
        </p>
      ))}
      {wallets.value.some(isAwaited) && (
        <p class="note" role="status">
          The funds of your wallet are on their way …
        </p>
      )}
    </>
  )
}

function Fields({ wrong }: { wrong: Wrong }) {
  const now = draft.value
  const set = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change }
  }
  return (
    <>
      {chains.value.length > 1 && (
        <Select
          label="Chain"
          value={String(chain.value?.chain_id)}
          options={chains.value.map(({ chain_id, name }) => [String(chain_id), name])}
          onChoice={(id) => set({ chainId: Number(id), sell: '', buy: '' })}
        />
      )}
      {wallets.value.length > 1 && (
        <Select
          label="Wallet"
          value={now.walletRef}
          options={wallets.value.map(({ wallet_ref }) => [wallet_ref, wallet_ref])}
          onChoice={(walletRef) => set({ walletRef })}
        />
      )}
      <Field
        label="Sell"
        list="tokens"
        placeholder="WETH, or an address"
        autocomplete="off"
        value={now.sell}
        onText={(sell) => set({ sell })}
        error={wrong.sell}
      />
      <Holding set={set} />
      <div>
        <button type="button" class="small" onClick={() => set({ sell: now.buy, buy: now.sell })}>
          ⇅ Swap the two
        </button>
      </div>
      <Field
        label="Buy"
        list="tokens"
        placeholder="USDC, or an address"
        autocomplete="off"
        value={now.buy}
        onText={(buy) => set({ buy })}
        error={wrong.buy}
      />
      <datalist id="tokens">
        {chain.value?.tokens.map(({ symbol, address, test }) => (
          <option
            key={address}
            value={symbol}
            label={test === true ? `${symbol}: for tests of the risk checks` : symbol}
          />
        ))}
        <option value={chain.value?.native_symbol ?? ''} />
      </datalist>
      <div class="pair">
        <Field
          label="Amount"
          inputMode="decimal"
          autocomplete="off"
          placeholder="0.5"
          value={now.amount}
          onText={(amount) => set({ amount: amount.trim() })}
          error={wrong.amount}
        />
        <Select
          label="In"
          value={now.unit}
          options={[
            ['token_units', now.sell === '' ? 'tokens' : now.sell],
            ['usd', 'US dollars'],
          ]}
          onChoice={(unit) => set({ unit })}
        />
      </div>
      <Field
        label="Slippage, in percent"
        inputMode="decimal"
        autocomplete="off"
        value={now.slippage}
        onText={(slippage) => set({ slippage })}
        error={wrong.slippage}
      />
    </>
  )
}

/** What the wallet holds of the token to sell, and a button to sell all of it. */
function Holding({ set }: { set: (change: Partial<Draft>) => void }) {
  const from = wallet.value
  const turn = usePaced(tradeChanges.value, 5_000)
  const chainId = chain.value?.chain_id
  const balance = useLoaded(async () => {
    if (from === undefined || chainId === undefined) return null
    return await gateway.tools.walletBalance.mutate({ address: from.address, chain_id: chainId })
  }, [from?.address, from?.funded, chainId, turn])
  const sell = draft.value.sell.trim().toLowerCase()
  const held = balance.value?.tokens.find(({ symbol, address }) =>
    [symbol, address].some((name) => name.toLowerCase() === sell),
  )
  const native = balance.value?.native_symbol.toLowerCase() === sell ? balance.value.native_balance : undefined
  const amount = held?.amount ?? native
  if (amount === undefined || balance.value === null) return null
  return (
    <p class="quiet">
      The wallet holds <Amount of={amount} unit={held?.symbol ?? balance.value.native_symbol} show="down" />.{' '}
      {held !== undefined && amount !== '0' && (
        <button type="button" class="small" onClick={() => set({ amount, unit: 'token_units' })}>
          Sell all of it
        </button>
      )}
    </p>
  )
}

/** The price at each block, and the risk of the two tokens, of one order. */
function Price({ order }: { order: Order }) {
  const { quote, failure, cut } = useLiveQuote(order)
  const risk = useLoaded((overtaken) => riskOf(order, overtaken), [])
  return (
    <div>
      <section aria-label="Live price">
        {failure !== null && <FailureNote failure={failure} />}
        {quote === null && failure === null && <p class="loading">Asking for the price …</p>}
        {quote !== null && (
          <>
            <QuoteFacts quote={quote} input={order.input} />
            {quote.warning !== undefined && <p class="note bad">{quote.warning}</p>}
            <p class="quiet">
              {cut ? 'Connection lost; price of' : 'Live, as of'} block{' '}
              <span data-testid="block">{quote.block_number}</span>
            </p>
          </>
        )}
      </section>
      {failure === null && (
        <Shown of={risk} what="the risk">
          {(report) => <Risk report={report} />}
        </Shown>
      )}
    </div>
  )
}

/** The risk of an order as it is quoted once: the checks are not repeated at each block. */
async function riskOf(order: Order, overtaken: AbortSignal): Promise<RiskReport> {
  await pause(calmMs, overtaken)
  overtaken.throwIfAborted()
  const { quote_id } = await gateway.trading.quote.mutate(order)
  return await gateway.trading.assessRisk.mutate({ quote_id })
}
