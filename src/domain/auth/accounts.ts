import type { contract } from '../../contract/index.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { checkNewPassword } from '../passwords/check-new-password.ts'
import { isOwnPassword, type OwnPasswordNeeds } from '../passwords/own-password.ts'
import { deletedAccountMs } from '../ports/accounts.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import { usualWallet } from '../ports/wallets.ts'
import { startFunding, startingState } from '../wallets/funding.ts'
import { presentToken } from './tokens.ts'

type FundingNeeds = 'chains' | 'grants' | 'sender' | 'signer' | 'wallets'
type RegisterNeeds = 'accounts' | 'clock' | 'knownAddresses' | 'passwords' | 'tokens' | FundingNeeds

/** Creates the account with its default wallet, which the sandbox then funds. */
export const register: Handler<typeof contract.auth.register, RegisterNeeds> = async (ports, input, call) => {
  const email = input.email.toLowerCase()
  await checkNewPassword(ports.passwords, 'password', input.password, email)
  // Reading first only saves the hashing. Between two concurrent registrations the database decides.
  const known = await ports.accounts.findByEmail(email)
  const account =
    known === null
      ? await ports.accounts.create({
          email,
          passwordHash: await ports.passwords.hash('registration', input.password),
          wallet: (userId) => ports.signer.generate(userId, usualWallet),
          funding: startingState(ports),
          at: ports.clock.now(),
        })
      : null
  if (account === null)
    throw call.fail('ALREADY_EXISTS', 'An account with this e-mail address exists already. Log in instead.')
  if (call.ownAddress !== null) await ports.knownAddresses.note(account.id, call.ownAddress, ports.clock.now())
  for (const wallet of await ports.wallets.list(account.id)) startFunding(ports, wallet)
  return { id: account.id, email: account.email, token: presentToken(ports.tokens.issueUser(account)) }
}

type DeleteNeeds = 'accounts' | 'chains' | 'clock' | 'wallets' | OwnPasswordNeeds
type Refuse = Fail<'FAILED_PRECONDITION' | 'UNAVAILABLE'>

/** Deletes the account; a token alone is not enough, for it may be stolen. */
export const deleteAccount: Handler<typeof contract.auth.deleteAccount, DeleteNeeds> = async (ports, input, call) => {
  const { accounts, clock } = ports
  const { userId } = call.principal
  const hash = await accounts.passwordHash(userId)
  const wrong = () => call.fail('PERMISSION_DENIED', 'password is not the password of your account.')
  if (hash === null || !(await isOwnPassword(ports, call.principal, hash, input.password))) throw wrong()
  if (!input.keys_exported) await checkKeysHoldNothing(ports, userId, call.fail)
  const now = clock.now()
  const outcome = await accounts.delete(userId, hash, now)
  if (outcome === 'trading')
    throw call.fail(
      'FAILED_PRECONDITION',
      'You have a trade whose finality is not finalized yet, or a transaction that follows one. Try again in a while; trading.listExecutions shows the finality.',
    )
  if (outcome === null) throw wrong()
  await ports.executions.endWaiting({ userId }, 'The account was deleted.')
  return { account_id: userId, restorable_until: new Date(now.getTime() + deletedAccountMs).toISOString() }
}

/** Refuses while a key of the gateway holds money that has a value, or where that cannot be read. */
async function checkKeysHoldNothing(
  { chains, wallets }: Pick<Ports, 'chains' | 'wallets'>,
  userId: number,
  fail: Refuse,
): Promise<void> {
  const own = (await wallets.list(userId)).filter(({ custody }) => custody === 'gateway')
  for (const chain of chains.all.filter(({ info }) => !info.sandbox))
    for (const { ref, address } of own) {
      const held = await symbolsHeld(chain, address, fail)
      if (held.length > 0)
        throw fail(
          'FAILED_PRECONDITION',
          `Wallet ${ref} holds ${held.join(', ')} on ${chain.info.name}. ${afterExport}`,
        )
    }
}

const afterExport = 'Export its key by trading.exportWallet, then send keys_exported: true.'

async function symbolsHeld(chain: Chain, owner: Hex, fail: Refuse): Promise<string[]> {
  const { name, nativeSymbol, tokens } = chain.info
  try {
    const held = await chain.balances(
      owner,
      tokens.map(({ address }) => address),
    )
    const symbols = tokens.flatMap(({ symbol }, index) => ((held.tokens[index] ?? 0n) > 0n ? [symbol] : []))
    return held.native > 0n ? [nativeSymbol, ...symbols] : symbols
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const message = `What your wallets hold on ${name} cannot be read now. Try again later. ${afterExport}`
    throw fail('UNAVAILABLE', message, {}, error)
  }
}
