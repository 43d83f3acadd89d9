import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import type { Wallet } from '../ports/wallets.ts'

/** The account's wallets, the oldest first. */
export const listWallets: Handler<typeof contract.trading.listWallets, 'wallets'> = async (ports, _input, call) =>
  (await ports.wallets.list(call.principal.userId)).map(presentWallet)

export function presentWallet({ ref, address, custody, funding }: Wallet) {
  return { wallet_ref: ref, address, funded: funding === 'done', custody }
}
