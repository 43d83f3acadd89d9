import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { nextClaimTime } from './faucet-rules.ts'

/** What became of a payment of the faucet, by its transaction. */
export const faucetClaim: Handler<typeof contract.chain.faucetClaim, 'faucetClaims' | 'outbox'> = async (
  ports,
  input,
  call,
) => {
  const hash = input.tx_hash as Hex // the contract's pattern has checked it
  const sent = await ports.outbox.byHash(hash)
  const [kind, id] = sent?.reference.split(':') ?? []
  const claim = kind === 'faucet' && id !== undefined ? await ports.faucetClaims.find(id) : null
  if (sent === null || claim === null) throw call.fail('NOT_FOUND', 'The faucet made no such payment.')
  const status = statusOf(sent)
  return {
    txHash: hash.toLowerCase(),
    status,
    address: claim.address,
    amount: claim.amount.toString(),
    createdAt: claim.createdAt.toISOString(),
    ...(status === 'failed' ? {} : { nextClaimTime: nextClaimTime(claim.createdAt) }),
  }
}

function statusOf({ state }: Outgoing): 'pending' | 'success' | 'failed' {
  if (state === 'included') return 'success'
  return state === 'reverted' || state === 'failed' ? 'failed' : 'pending'
}
