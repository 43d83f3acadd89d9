import { invalid } from '../../core/errors.ts'
import { ownWallet } from '../../policies/wallet-policy.ts'
import type { Chain, Chains } from '../../ports/chains.ts'
import type { Ports } from '../../ports/index.ts'
import { usualWallet } from '../../ports/wallets.ts'
import { presentQuote } from '../../quoting/quote.ts'
import { walletOf } from '../../trading/simulate.ts'
import { chainNamed, symbolsOf, tokenCalled } from '../../values/tokens.ts'

export type WordPorts = 'chains' | 'outbox' | 'quotes' | 'wallets'

/** Who speaks, and the chain that the words are about. */
export type Speaker = { ports: Pick<Ports, WordPorts>; userId: number; chain: Chain }

/**
 * A field that may be filled in the words of people. `read` makes of them what the contract wants; what is no such word
 * passes as it is, for the contract to judge, and undefined stays away. INVALID_ARGUMENT names the field.
 */
export type SpokenField = {
  says: string
  /** It says which chain the other words are about. */
  chain?: true
  /** It may be left out, whatever the contract says. */
  mayLack?: true
  list?: true
  read(said: unknown, speaker: Speaker, path: string): unknown
}

/** The chain that is named by its name or its id, else the default one. */
export function chainSaid(chains: Chains, said: unknown, path: string): Chain {
  const named = typeof said === 'number' ? String(said) : said
  return typeof named === 'string' && named !== '' ? chainNamed(chains, named, path) : chains.default
}

const address = /^0x[0-9a-f]{40}$/i

function tokenAddress(said: unknown, { chain }: Speaker, path: string): unknown {
  if (typeof said !== 'string' || address.test(said)) return said
  return tokenSaid(chain, said, path).address
}

function tokenSaid(chain: Chain, name: string, path: string) {
  const found = tokenCalled(chain, name)
  if (found !== null) return found
  throw invalid(path, `no token of ${chain.info.name} is called that; it has ${symbolsOf(chain)}`, 'unknown_token')
}

const chainId: SpokenField = {
  says: 'its id or its name; the default one if absent',
  chain: true,
  read: (said, { chain }) => (said === undefined ? undefined : chain.info.id),
}

export const words = {
  chainId,
  /** Where the contract asks for one, the default is said for the caller. */
  neededChainId: { ...chainId, mayLack: true, read: (_said, { chain }) => chain.info.id },
  neededChainName: { ...chainId, mayLack: true, read: (_said, { chain }) => chain.info.name },
  token: { says: 'its symbol or its address', read: tokenAddress },
  tokens: {
    says: 'their symbols or their addresses',
    list: true,
    read: (said, speaker, path) =>
      Array.isArray(said) ? said.map((one, index) => tokenAddress(one, speaker, `${path}.${index}`)) : said,
  },
  anyWallet: {
    says: `an address, or the name of a wallet of the caller; the wallet "${usualWallet}" if absent`,
    mayLack: true,
    async read(said = usualWallet, { ports, userId }) {
      if (typeof said !== 'string' || address.test(said)) return said
      return (await walletOf(ports, userId, said)).address
    },
  },
  ownWallet: {
    says: 'its name or its address; every wallet if absent',
    async read(said, { ports, userId }) {
      if (typeof said !== 'string' || address.test(said)) return said
      return (await ownWallet(ports, userId, said)).address
    },
  },
  pair: {
    says: 'the symbol of a token alone means its price in US dollars',
    read(said, { chain }, path) {
      if (typeof said !== 'string' || said.includes('/')) return said
      return tokenSaid(chain, said, path).usdFeed ?? `${said}/USD`
    },
  },
  quote: {
    says: 'its quote_id; if absent, the tokens are assessed without a trade',
    mayLack: true,
    async read(said, { ports, userId }, path) {
      if (typeof said !== 'string') return said
      const stored = await ports.quotes.find(userId, said)
      if (stored === null) throw invalid(path, 'is no quote of the caller; ask for a quote first')
      return presentQuote(stored, ports.chains)
    },
  },
} as const satisfies Record<string, SpokenField>
