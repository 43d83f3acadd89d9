import { page } from '../page.ts'
import { facts, home, list, partyLink, transferList, units } from './parts.ts'
import type { ExplorerAddress } from './source.ts'

/** One address: what it holds and what it moved lately. */
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
  const since = `<p>Transfers since block ${address.sinceBlock}, newest first.</p>`
  return page('Address', home + top + tokens + since + transferList(address.transfers))
}
