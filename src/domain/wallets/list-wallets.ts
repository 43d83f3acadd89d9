import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import type { FundingFailure, Wallet } from '../ports/wallets.ts'

/** The account's wallets, the oldest first. */
export const listWallets: Handler<typeof contract.trading.listWallets, 'wallets'> = async (ports, _input, call) =>
  (await ports.wallets.list(call.principal.userId)).map(presentWallet)

export function presentWallet({ ref, address, custody, funding, fundingFailure }: Wallet) {
  const funded = funding === 'done'
  const failure = funded || fundingFailure === null ? {} : { funding_error: failureText(fundingFailure) }
  return { wallet_ref: ref, address, funded, custody, ...failure }
}

function failureText({ tries, why, retryAt }: FundingFailure): string {
  const next =
    retryAt === null
      ? 'It is not paid again. Contact the operator, or send money to the wallet yourself.'
      : `It is paid again after ${retryAt.toISOString()}.`
  return `The starting money did not arrive (try ${tries}): ${why} ${next}`
}
