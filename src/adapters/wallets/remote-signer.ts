import { type Address, getAddress, isAddress, isHex, toHex } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'
import type { NodeFailure } from '../node/errors/failures.ts'
import { httpNode } from '../node/public/http-node.ts'
import { verified } from './signed-transaction.ts'

/** A process beside the gateway that holds keys and signs, over JSON-RPC. */
export type RemoteSigner = {
  /** UNAVAILABLE where it does not answer as it should, FAILED_PRECONDITION where it refuses. */
  accounts(): Promise<readonly Hex[]>
  /**
   * The transaction signed, checked in every field. FAILED_PRECONDITION where the signer refuses or answers something
   * else, UNAVAILABLE where it does not answer in time.
   */
  sign(from: Hex, transaction: SignableTransaction): Promise<{ raw: Hex; hash: Hex }>
  /** Gives up what is being asked. */
  close(): void
}

/** The methods of web3signer and of nodes, and those of clef, which has names of its own. */
const dialects = [
  { accounts: 'eth_accounts', sign: 'eth_signTransaction' },
  { accounts: 'account_list', sign: 'account_signTransaction' },
] as const

const methodNotFound = -32_601
/** Internal error and limit exceeded: the signer may do later what it cannot now. */
const passing: readonly unknown[] = [-32_603, -32_005]
const mostAccounts = 10_000

/** How long an answer may take, and how long a silent signer is left alone before it is tried again. */
const times = { timeoutMs: 5_000, restMs: 1_000 }

/** Opens a signer by its address, which may hold a user and a password that no error says. */
export function openRemoteSigner(url: string, { timeoutMs, restMs } = times): RemoteSigner {
  const rpc = httpNode(url, timeoutMs, 1_048_576)
  const closing = new AbortController()
  let silentSince: number | null = null

  /** Throws NodeFailure where the signer says no, UNAVAILABLE where it says nothing or that something broke. */
  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    if (silentSince !== null) {
      // Nobody waits for a silent signer but one question that changes nothing.
      if (performance.now() - silentSince >= restMs) reach(dialects[0].accounts, []).catch(() => undefined)
      throw silent()
    }
    return await reach(method, params)
  }

  async function reach(method: string, params: readonly unknown[]): Promise<unknown> {
    if (silentSince !== null) silentSince = Number.POSITIVE_INFINITY // until this question is answered or given up
    try {
      const answer = await rpc(method, params, closing.signal)
      silentSince = null
      return answer
    } catch (failure) {
      silentSince = isNo(failure) ? null : performance.now()
      throw isNo(failure) ? failure : silent(failure)
    }
  }

  /** Asks in the first dialect that the signer knows. */
  async function say(what: 'accounts' | 'sign', params: readonly unknown[]): Promise<unknown> {
    for (const dialect of dialects) {
      try {
        return await ask(dialect[what], params)
      } catch (failure) {
        if (!isNo(failure)) throw failure
        if (failure.code !== methodNotFound) throw refused(failure)
      }
    }
    throw new DomainError('FAILED_PRECONDITION', 'The remote signer knows neither eth_signTransaction nor clef.')
  }

  return {
    async accounts() {
      const answer = await say('accounts', [])
      if (!Array.isArray(answer) || answer.length > mostAccounts) throw silent()
      return answer.filter((item) => isAddress(item, { strict: false })).map((item: Address) => getAddress(item))
    },
    async sign(from, transaction) {
      if (![from, transaction.to].every((address) => isAddress(address, { strict: false })))
        throw new DomainError('FAILED_PRECONDITION', 'The transaction cannot be signed: an address of it is none.')
      const answer = await say('sign', [wired(from, transaction)])
      return await verified(rawOf(answer), from, transaction)
    },
    close: () => closing.abort(),
  }
}

/** A transaction as the signer reads it. */
function wired(from: Hex, { to, data, value, gas, nonce, chainId, ...fees }: SignableTransaction) {
  const numbers = { value, gas, nonce, chainId, ...fees }
  const quantities = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, toHex(number)]))
  return { from: getAddress(from), to: getAddress(to), data, ...quantities }
}

/** The signed bytes: web3signer answers them alone, geth and clef beside the decoded transaction. */
function rawOf(answer: unknown): Hex {
  const raw = typeof answer === 'object' && answer !== null && 'raw' in answer ? answer.raw : answer
  if (!isHex(raw)) throw new DomainError('FAILED_PRECONDITION', 'The remote signer did not answer signed bytes.')
  return raw
}

function isNo(failure: unknown): failure is NodeFailure {
  if (failure instanceof DomainError || typeof failure !== 'object' || failure === null) return false
  return 'code' in failure && !passing.includes(failure.code)
}

/** What the signer says is for the log alone. */
function refused({ code, message }: NodeFailure): DomainError {
  const cause = new Error(`${code}: ${message.slice(0, 500)}`)
  return new DomainError('FAILED_PRECONDITION', 'The remote signer refused; its operator sees why.', {}, cause)
}

function silent(cause?: unknown): DomainError {
  return new DomainError('UNAVAILABLE', 'The remote signer does not answer; try again in a moment.', {}, cause)
}
