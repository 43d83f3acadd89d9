import type { contract } from '../../contract/index.ts'
import type { InputOf, OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Halt } from '../ports/trade-policy.ts'
import { requireChecksum } from '../values/tokens.ts'
import { addWallet, presentWallet } from '../wallets/wallets.ts'

/** The halt that an operator names. INVALID_ARGUMENT where `id` is not an address, or not the id of a connected chain. */
function haltOf(ports: Pick<Ports, 'chains'>, input: InputOf<typeof contract.operator.haltTrading>): Halt {
  const { scope, id = '' } = input
  if (scope === 'global') return { scope, id: '' }
  if (scope === 'wallet') {
    if (!/^0x[0-9a-fA-F]{40}$/.test(id)) throw invalid('id', 'must be the address of a wallet: 0x and 40 hex digits')
    requireChecksum(id, 'id')
    return { scope, id }
  }
  const chain = /^\d{1,16}$/.test(id) ? ports.chains.find(Number(id)) : null
  if (chain === null)
    throw invalid('id', `must be a connected chain: ${ports.chains.all.map(({ info }) => info.id).join(', ')}`)
  return { scope, id: String(chain.info.id) }
}

/** The halts in force. */
async function haltsInForce(ports: Pick<Ports, 'halts'>): Promise<OutputOf<typeof contract.operator.haltTrading>> {
  const halts = await ports.halts.list()
  return {
    halts: halts.map(({ scope, id, createdAt, reason }) => {
      const facts = { created_at: createdAt.toISOString(), ...(reason === undefined ? {} : { reason }) }
      return scope === 'global' ? { scope, ...facts } : { scope, id, ...facts }
    }),
  }
}

/** Stops real trades. A trade that has already reserved its nonce is finished. */
export const haltTrading: Handler<typeof contract.operator.haltTrading, 'chains' | 'clock' | 'halts'> = async (
  ports,
  input,
) => {
  await ports.halts.set(haltOf(ports, input), ports.clock.now())
  return await haltsInForce(ports)
}

/** Lifts one halt; the others stay in force. */
export const resumeTrading: Handler<typeof contract.operator.resumeTrading, 'chains' | 'halts'> = async (
  ports,
  input,
) => {
  await ports.halts.clear(haltOf(ports, input))
  return await haltsInForce(ports)
}

/** The halts in force, the oldest first. */
export const listHalts: Handler<typeof contract.operator.listHalts, 'halts'> = async (ports) =>
  await haltsInForce(ports)

type GrantNeeds = 'accounts' | 'clock' | 'signer' | 'wallets'

/** Lets one account use an address of the remote signer as a wallet. */
export const grantWallet: Handler<typeof contract.operator.grantWallet, GrantNeeds> = async (ports, input, call) => {
  const { remoteAccounts } = ports.signer
  if (remoteAccounts === null)
    throw call.fail('FAILED_PRECONDITION', 'No remote signer is connected. Set SIGNER_URL and restart the gateway.')
  const wanted = input.address.toLowerCase()
  const address = (await remoteAccounts()).find((one) => one.toLowerCase() === wanted)
  if (address === undefined)
    throw call.fail('NOT_FOUND', `The remote signer has no account ${input.address}. Add it to the signer first.`)
  const account = await ports.accounts.findByEmail(input.email)
  if (account === null)
    throw call.fail('NOT_FOUND', 'No account has this e-mail address. Its owner must register first.')
  const wallet = { ref: input.wallet_ref, address, sealedKey: null }
  return presentWallet(await addWallet(ports, account.id, wallet, 'none', call.fail))
}
