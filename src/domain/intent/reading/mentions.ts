import {
  commonCapitals,
  commonChains,
  commonTokens,
  dollarNames,
  dollarTokens,
  everydayWords,
  ordinaryBefore,
  ordinaryBehind,
  ordinaryNames,
  protocolNames,
  tokenNames,
  wrappedNames,
} from './names.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { Word } from './words.ts'

/** A thing that a text names, with the indexes of its words: from `at`, up to but without `next`. */
export type Mention = {
  kind: 'token' | 'chain' | 'protocol' | 'address' | 'transaction'
  name: string
  at: number
  next: number
}

/** Words near `ethereum` that show that the chain is meant, not its currency. */
const chainTopics = new Set(
  'on across over chain network mainnet tvl locked yields protocols pools fees gas l1 apps dexes activity'.split(' '),
)
const chainLeads = new Set('on over across chain network onto'.split(' '))

/** Every token, chain, protocol, address and transaction that a text names, in order. */
export function readMentions(words: readonly Word[], vocabulary: Vocabulary): Mention[] {
  const mentions: Mention[] = []
  const shouting = !words.some(({ kind, text, lower }) => kind === 'word' && text === lower && lower.length > 1)
  for (let at = 0; at < words.length; ) {
    const mention =
      readHex(words, at) ??
      readWrapped(words, at, vocabulary) ??
      readChain(words, at, vocabulary) ??
      readProtocol(words, at) ??
      readToken(words, at, vocabulary, shouting)
    if (mention !== null) mentions.push(mention)
    at = mention?.next ?? at + 1
  }
  return mentions
}

function readHex(words: readonly Word[], at: number): Mention | null {
  const word = words[at]
  const behind = words[at + 1]
  if (word?.kind !== 'hex' || (behind?.glued === true && behind.kind !== 'mark')) return null
  if (word.text.length === 42) return { kind: 'address', name: word.text, at, next: at + 1 }
  if (word.text.length === 66) return { kind: 'transaction', name: word.text, at, next: at + 1 }
  return null
}

/** `wrapped ether`, `Wrapped Bitcoin`. */
function readWrapped(words: readonly Word[], at: number, { symbols }: Vocabulary): Mention | null {
  const named = words[at]?.lower === 'wrapped' ? wrappedNames.get(words[at + 1]?.lower ?? '') : undefined
  const name = named?.find((symbol) => symbols.has(symbol)) ?? named?.[0]
  return name === undefined ? null : { kind: 'token', name, at, next: at + 2 }
}

/** True of `the curve`, `base my choice on` and `compound the rewards`: the ordinary word is meant, not the name. */
function isOrdinary(words: readonly Word[], at: number): boolean {
  const word = words[at]
  if (word === undefined || word.text !== word.lower || !ordinaryNames.has(word.lower)) return false
  const [before = '', then = ''] = [words[at - 1]?.lower, words[at + 1]?.lower]
  const leads = chainLeads.has(words[at - 2]?.lower ?? '') || ['chain', 'network', 'mainnet'].includes(then)
  if (before === 'to') return ordinaryBefore.has(then)
  return (ordinaryBehind.has(before) && !(before === 'the' && leads)) || ordinaryBefore.has(then)
}

/** `on base`, `arbitrum`, `OP Mainnet`, `chain 84532`, `chain id: 8453`. */
function readChain(words: readonly Word[], at: number, vocabulary: Vocabulary): Mention | null {
  const name = words[at]?.lower ?? ''
  const chain = (next: number, named: string): Mention => ({ kind: 'chain', name: named, at, next })
  const pair = `${name} ${words[at + 1]?.lower ?? ''}`
  if (vocabulary.chains.has(pair)) return chain(at + 2, pair)
  const id = idAt(words, at)
  if (id !== null) return chain(id.next, id.text)
  const before = words[at - 1]?.lower ?? ''
  const lead = before === 'the' ? (words[at - 2]?.lower ?? '') : before
  const next = ['chain', 'mainnet', 'network'].includes(words[at + 1]?.lower ?? '') ? at + 2 : at + 1
  if (name === 'ethereum' || name === 'eth') {
    const meant = next > at + 1 || (name === 'ethereum' && (chainLeads.has(lead) || isNear(words, at, chainTopics)))
    return meant ? chain(next, 'ethereum') : null
  }
  if (vocabulary.chains.has(name) && (chainLeads.has(lead) || !vocabulary.symbols.has(name.toUpperCase())))
    return chain(next, name)
  if (!commonChains.has(name) || before === 'a' || isOrdinary(words, at)) return null
  return chain(next, name === 'mainnet' ? 'ethereum' : name)
}

function idAt(words: readonly Word[], at: number): { next: number; text: string } | null {
  if (words[at]?.lower !== 'chain' && words[at]?.lower !== 'chain_id' && words[at]?.lower !== 'chainid') return null
  for (let index = at + 1; index < at + 4; index += 1) {
    const word = words[index]
    if (word?.kind === 'number' && /^\d{1,10}$/.test(word.text)) return { next: index + 1, text: word.text }
    if (word === undefined || !['id', ':', '=', '#', 'number', 'is'].includes(word.lower)) return null
  }
  return null
}

function isNear(words: readonly Word[], at: number, topics: ReadonlySet<string>): boolean {
  return words.slice(Math.max(0, at - 4), at + 3).some(({ lower }) => topics.has(lower))
}

function readProtocol(words: readonly Word[], at: number): Mention | null {
  const name = words[at]?.lower ?? ''
  const [root = '', tail] = name.replace(/'s$/, '').split('_')
  if (!protocolNames.has(root) || isOrdinary(words, at)) return null
  const amountOf = words[at - 1]?.kind === 'number' || words[at - 1]?.lower === '$'
  if (commonTokens.has(root) && amountOf) return null
  const version = tail ?? words[at + 1]?.lower
  if (root === 'uniswap' && (version === 'v2' || version === 'v3' || version === 'v4'))
    return { kind: 'protocol', name: `uniswap_${version}`, at, next: tail === undefined ? at + 2 : at + 1 }
  return { kind: 'protocol', name: root, at, next: at + 1 }
}

/** `click the link`, `an airdrop link`. */
function isHyperlink(words: readonly Word[], at: number): boolean {
  const [first, second] = [words[at - 2]?.lower ?? '', words[at - 1]?.lower ?? '']
  if (words[at]?.text !== 'link') return false
  return ['a', 'airdrop', 'this', 'that'].includes(second) || (second === 'the' && first !== 'all' && first !== 'of')
}

function readToken(words: readonly Word[], at: number, { symbols }: Vocabulary, shouting: boolean): Mention | null {
  const word = words[at]
  const sign = word?.lower === '$' && words[at + 1]?.kind === 'number'
  if (word === undefined || (word.kind !== 'word' && !sign)) return null
  const bare = word.lower.replace(/'s?$/, '')
  const upper = bare.toUpperCase()
  const token = (name: string): Mention => ({ kind: 'token', name, at, next: at + 1 })
  const before = words[at - 1]
  const marked = before?.text === '$' && word.glued
  const plain = everydayWords.has(bare) && !marked && before?.kind !== 'number' && (shouting || word.text !== upper)
  if (plain || isHyperlink(words, at)) return null
  if (symbols.has(upper)) return token(upper)
  const named = tokenNames.get(bare)
  if (named !== undefined) return token(named.find((symbol) => symbols.has(symbol)) ?? named[0] ?? upper)
  if (dollarNames.has(bare)) return token(dollarTokens.find((symbol) => symbols.has(symbol)) ?? 'USDC')
  if (commonTokens.has(bare)) return token(upper)
  const capital = !shouting && /^[A-Z][A-Z0-9]{2,7}$/.test(word.text) && !commonCapitals.has(word.text)
  return (marked && bare.length <= 12) || capital ? token(upper) : null
}
