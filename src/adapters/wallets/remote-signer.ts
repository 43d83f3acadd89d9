import {
  type Address,
  getAddress,
  isAddress,
  isHex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
  toHex,
} from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'
import type { NodeFailure } from '../node/errors/failures.ts'
import { httpNode } from '../node/public/http-node.ts'

/** A separate process that holds keys and signs, called over JSON-RPC. */
export type RemoteSigner = {
  /** The addresses that it can sign for. UNAVAILABLE without a valid response, FAILED_PRECONDITION where it refuses. */
  accounts(): Promise<readonly Hex[]>
  /**
   * Signs a transaction and checks every field of the result. FAILED_PRECONDITION where the signer refuses or signed
   * something else, UNAVAILABLE without a response in time.
   */
  sign(from: Hex, transaction: SignableTransaction): Promise<{ raw: Hex; hash: Hex }>
  /** Cancels the open requests. */
  close(): void
}

/** The methods of web3signer and nodes, and those of clef, which uses different names. */
const dialects = [
  { accounts: 'eth_accounts', sign: 'eth_signTransaction' },
  { accounts: 'account_list', sign: 'account_signTransaction' },
] as const

const methodNotFound = -32_601
/** Internal error and limit exceeded: a later attempt may succeed. */
const temporaryCodes: readonly unknown[] = [-32_603, -32_005]
const mostAccounts = 10_000

/** Milliseconds for a response, and between attempts to reach a signer that does not respond. */
const times = { timeoutMs: 5_000, retryMs: 1_000 }

/** Opens a signer by its URL. The URL may contain a user and a password, which no error shows. */
export function openRemoteSigner(url: string, { timeoutMs, retryMs } = times): RemoteSigner {
  const rpc = httpNode(url, timeoutMs, 1_048_576)
  const closing = new AbortController()
  let silentSince: number | null = null

  /** Throws NodeFailure where the signer refuses, UNAVAILABLE where it does not respond or fails temporarily. */
  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (silentSince !== null) {
      // Requests fail at once while the signer is silent. One read without effects probes it in the background.
      if (performance.now() - silentSince >= retryMs) reach(dialects[0].accounts, []).catch(() => undefined)
      throw unreachable()
    }
    return await reach(method, params)
  }

  async function reach(method: string, params: readonly unknown[]): Promise<unknown> {
    if (silentSince !== null) silentSince = Number.POSITIVE_INFINITY // until this request ends
    try {
      const result = await rpc(method, params, closing.signal)
      silentSince = null
      return result
    } catch (failure) {
      silentSince = isRefusal(failure) ? null : performance.now()
      throw isRefusal(failure) ? failure : unreachable(failure)
    }
  }

  /** Sends a request in the first dialect that the signer supports. */
  async function requestInDialect(what: 'accounts' | 'sign', params: readonly unknown[]): Promise<unknown> {
    for (const dialect of dialects) {
      try {
        return await request(dialect[what], params)
      } catch (failure) {
        if (!isRefusal(failure)) throw failure
        if (failure.code !== methodNotFound) throw refused(failure)
      }
    }
    throw new DomainError(
      'FAILED_PRECONDITION',
      'The remote signer supports neither the methods of web3signer and nodes nor those of clef.',
    )
  }

  return {
    async accounts() {
      const accounts = await requestInDialect('accounts', [])
      if (!Array.isArray(accounts) || accounts.length > mostAccounts) throw unreachable()
      return accounts.filter((item) => isAddress(item, { strict: false })).map((item: Address) => getAddress(item))
    },
    async sign(from, transaction) {
      if (![from, transaction.to].every((address) => isAddress(address, { strict: false })))
        throw new DomainError(
          'FAILED_PRECONDITION',
          'The transaction cannot be signed: one of its addresses is invalid.',
        )
      const result = await requestInDialect('sign', [wireForm(from, transaction)])
      return await verified(rawOf(result), from, transaction)
    },
    close: () => closing.abort(),
  }
}

/** A transaction in JSON-RPC form. */
function wireForm(from: Hex, { to, data, value, gas, nonce, chainId, maxFeePerGas, ...rest }: SignableTransaction) {
  const { maxPriorityFeePerGas } = rest
  const fees = maxPriorityFeePerGas === null ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas }
  const numbers = { value, gas, nonce, chainId, ...fees }
  const quantities = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, toHex(number)]))
  return { from: getAddress(from), to: getAddress(to), data, ...quantities }
}

/** The signed bytes: web3signer returns them alone, geth and clef together with the decoded transaction. */
function rawOf(result: unknown): Hex {
  const raw = typeof result === 'object' && result !== null && 'raw' in result ? result.raw : result
  if (!isHex(raw)) throw new DomainError('FAILED_PRECONDITION', 'The remote signer returned no signed transaction.')
  return raw
}

function isRefusal(failure: unknown): failure is NodeFailure {
  if (failure instanceof DomainError || typeof failure !== 'object' || failure === null) return false
  return 'code' in failure && !temporaryCodes.includes(failure.code)
}

/** The signer's own message goes to the log only. */
function refused({ code, message }: NodeFailure): DomainError {
  const cause = new Error(`${code}: ${message.slice(0, 500)}`)
  return new DomainError(
    'FAILED_PRECONDITION',
    'The remote signer refused the request. Its operator finds the reason in its log.',
    {},
    cause,
  )
}

function unreachable(cause?: unknown): DomainError {
  return new DomainError('UNAVAILABLE', 'The remote signer does not respond. Try again in a moment.', {}, cause)
}

/**
 * Checks that signed bytes are the requested transaction: every field equal, nothing added, signed by that account.
 * Returns them with their hash. Throws FAILED_PRECONDITION otherwise; such bytes must not be sent.
 */
export async function verified(raw: Hex, from: Hex, requested: SignableTransaction): Promise<{ raw: Hex; hash: Hex }> {
  const wrong = await wrongPart(raw, from, requested).catch(() => 'form')
  if (wrong === null) return { raw, hash: keccak256(raw) }
  throw new DomainError(
    'FAILED_PRECONDITION',
    `The remote signer signed a different transaction (its ${wrong} differs). Nothing was sent.`,
  )
}

async function wrongPart(raw: Hex, from: Hex, requested: SignableTransaction): Promise<string | null> {
  const signed = parseTransaction(raw)
  const isLegacy = requested.maxPriorityFeePerGas === null
  if (signed.type !== (isLegacy ? 'legacy' : 'eip1559')) return 'type'
  // Zero and empty fields are absent in the parsed transaction.
  const same = {
    chainId: signed.chainId === requested.chainId,
    nonce: (signed.nonce ?? 0) === requested.nonce,
    to: signed.to?.toLowerCase() === requested.to.toLowerCase(),
    data: (signed.data ?? '0x').toLowerCase() === requested.data.toLowerCase(),
    value: (signed.value ?? 0n) === requested.value,
    gas: (signed.gas ?? 0n) === requested.gas,
    ...(isLegacy
      ? { gasPrice: (signed.gasPrice ?? 0n) === requested.maxFeePerGas }
      : {
          maxFeePerGas: (signed.maxFeePerGas ?? 0n) === requested.maxFeePerGas,
          maxPriorityFeePerGas: (signed.maxPriorityFeePerGas ?? 0n) === requested.maxPriorityFeePerGas,
        }),
    accessList: (signed.accessList ?? []).length === 0,
  }
  const field = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (field !== undefined) return field
  const signer = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
  return signer.toLowerCase() === from.toLowerCase() ? null : 'signature'
}
