import type { Fail } from '../../core/errors.ts'
import { ownWallet } from '../../policies/wallet-policy.ts'
import type { Chain, Chains } from '../../ports/chains.ts'
import type { Ports } from '../../ports/index.ts'
import { usualWallet } from '../../ports/wallets.ts'
import { walletOf } from '../../trading/simulate.ts'
import { chainNamed, tokenNamed } from '../../values/tokens.ts'
import type { FundedNeeds } from '../../wallets/funding.ts'

export type WordPorts = 'chains' | FundedNeeds

/** The caller, and the chain that the words refer to. */
type Speaker = { ports: Pick<Ports, WordPorts>; userId: number; chain: Chain; fail: Fail<'NOT_FOUND'> }

/**
 * A field that accepts plain words, such as the symbol of a token. `read` converts them to the contract's value. It
 * passes other values unchanged, for the contract to check, and leaves the field out where it returns undefined.
 * INVALID_ARGUMENT names the field.
 */
export type SpokenField = {
  description: string
  /** It names the chain that the other fields refer to. */
  chain?: true
  /** Optional here, though the contract requires it. */
  optional?: true
  list?: true
  read(input: unknown, speaker: Speaker, path: string): unknown
}

/** The chain of a name or an id, else the default one; evm is the kind of every chain. */
export function chainOfInput(chains: Chains, input: unknown, path: string): Chain {
  const named = typeof input === 'number' ? String(input) : input
  const isNamed = typeof named === 'string' && named !== '' && named.toLowerCase() !== 'evm'
  return isNamed ? chainNamed(chains, named, path) : chains.default
}

const address = /^0x[0-9a-f]{40}$/i

function tokenAddress(input: unknown, { chain }: Speaker, path: string): unknown {
  if (typeof input !== 'string' || address.test(input)) return input
  return tokenNamed(chain, input, path).address
}

const chainId: SpokenField = {
  description: 'its id or its name; the default one if absent',
  chain: true,
  read: (input, { chain }) => (input === undefined ? undefined : chain.info.id),
}

export const words = {
  chainId,
  /** A chain's name, which the contract takes as it is. */
  chainName: { description: 'its id or its name; the default one if absent', chain: true, read: (input) => input },
  /** Where the contract requires one, the default chain completes the input. */
  neededChainId: { ...chainId, optional: true, read: (_input, { chain }) => chain.info.id },
  neededChainName: { ...chainId, optional: true, read: (_input, { chain }) => chain.info.name },
  token: { description: 'its symbol or its address', read: tokenAddress },
  tokens: {
    description: 'their symbols or their addresses',
    list: true,
    read: (input, speaker, path) =>
      Array.isArray(input) ? input.map((one, index) => tokenAddress(one, speaker, `${path}.${index}`)) : input,
  },
  anyWallet: {
    description: `an address, or the name of a wallet of the caller; the wallet "${usualWallet}" if absent`,
    optional: true,
    async read(input = usualWallet, { ports, userId, fail }) {
      if (typeof input !== 'string' || address.test(input)) return input
      return (await walletOf(ports, userId, input, fail)).address
    },
  },
  ownWallet: {
    description: 'its name or its address; every wallet if absent',
    async read(input, { ports, userId, fail }) {
      if (typeof input !== 'string' || address.test(input)) return input
      return (await ownWallet(ports, userId, input, fail)).address
    },
  },
} as const satisfies Record<string, SpokenField>
