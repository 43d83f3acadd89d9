import { Wallets } from './wallets.tsx'

/** What the account holds. */
export function Portfolio() {
  return <Wallets />
}
