import type { Wallet } from '../../../../generated/client/index.d.ts'
import { gateway } from '../../gateway/client.ts'
import { Copy } from '../../parts/forms.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { Table } from '../../parts/table.tsx'
import { Amount, Usd } from '../../parts/values.tsx'
import { isAwaited, wallets } from '../../state/wallets.ts'

/** The wallets of the account with what they hold on the chain. `turn` changes to read that again. */
export function Wallets({ turn }: { turn: number }) {
  return (
    <section>
      <h2>Wallets</h2>
      {wallets.value.map((wallet) => (
        <WalletCard key={wallet.wallet_ref} wallet={wallet} turn={turn} />
      ))}
    </section>
  )
}

function WalletCard({ wallet, turn }: { wallet: Wallet; turn: number }) {
  const { wallet_ref, address, funded, funding_error } = wallet
  const balance = useLoaded(() => gateway.tools.walletBalance.mutate({ address }), [address, funded, turn])
  return (
    <article class="card">
      <p>
        <b>{wallet_ref}</b> <code class="whole">{address}</code> <Copy text={address} />
      </p>
      {isAwaited(wallet) && <p role="status">Its funds are on their way …</p>}
      {funding_error !== undefined && <p class="note bad">{funding_error}</p>}
      <Shown of={balance} what="its balances">
        {({ native_symbol, native_balance, native_value_usd, tokens, total_value_usd, block_number }) => (
          <>
            <Table label={`Balances of ${wallet_ref}`} columns={['Token', { number: 'Amount' }, { number: 'Value' }]}>
              {[
                { symbol: native_symbol, amount: native_balance, value_usd: native_value_usd },
                ...tokens.filter(({ amount }) => amount !== '0'),
              ].map(({ symbol, amount, value_usd }) => (
                <tr key={symbol}>
                  <td>{symbol}</td>
                  <td class="number">
                    <Amount of={amount} unit={symbol} />
                  </td>
                  <td class="number">
                    <Usd of={value_usd ?? null} />
                  </td>
                </tr>
              ))}
            </Table>
            <p class="quiet">
              Together <Usd of={total_value_usd} />, at block {block_number}.
            </p>
          </>
        )}
      </Shown>
    </article>
  )
}
