import { page } from '../page.ts'
import { facts, units } from '../parts.ts'
import { home, list, partyLink, placedList, transferList } from './parts.ts'
import type { ExplorerAddress } from './source.ts'

/** One address: its balances, and its newest transactions and transfers. */
export function addressPage(address: ExplorerAddress): string {
  const top = facts([
    ['Address', partyLink(address.party)],
    ['Kind', address.isContract ? 'contract' : 'account'],
    ['Balance', units(address.balanceWei, address.nativeSymbol)],
    ['Transactions sent', String(address.sent)],
  ])
  const tokens = list(
    'Listed tokens',
    ['Token', 'Amount'],
    address.tokens.map(({ token, amount }) => [partyLink(token), amount]),
  )
  const transactions = placedList('Newest transactions', address.transactions, address.nativeSymbol)
  const range = `<p>Transactions since block ${address.lookedSince}, newest first.</p>`
  const since = `<p>Transfers since block ${address.sinceBlock}, newest first.</p>`
  return page('Address', home + top + tokens + transactions + range + since + transferList(address.transfers))
}
