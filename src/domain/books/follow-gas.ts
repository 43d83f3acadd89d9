import { referenceText } from '../core/reference.ts'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing, ReferenceOf } from '../ports/outbox.ts'
import { isMined } from '../sending/execution-state.ts'
import { bookGas } from './book-fill.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'wallets'>

/** Books what a wallet paid for a transaction that moves nothing: one that cancels a nonce gap or revokes an approval. */
export async function followGas(
  ports: Needs,
  chain: Chain,
  reference: ReferenceOf<'gap' | 'revoke'>,
  [transaction]: readonly Outgoing[],
): Promise<void> {
  const key = referenceText(reference)
  if (transaction?.hash == null || !isMined(transaction.state)) return void (await ports.ledger.unbook(key))
  const wallet = await ports.wallets.findByAddress(transaction.from)
  if (wallet === null) return
  const receipt = await chain.receipt(transaction.hash)
  if (receipt === null) return
  // The transaction may have moved to another block, which charged another price.
  const booked = await ports.ledger.entries(key)
  const same = booked.some(({ account, quantity }) => account === 'gas' && quantity === receipt.feeWei)
  if (booked.length > 0 && !same) await ports.ledger.unbook(key)
  const place = { userId: wallet.userId, walletAddress: wallet.address, chainId: chain.info.id }
  await bookGas(ports, chain, key, place, receipt)
}
