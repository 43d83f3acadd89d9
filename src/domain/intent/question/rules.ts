/**
 * A kind of question, by the classes of words that ask it: `any` of the sets has to be there whole (`a|b` is one of two),
 * and every other word of the text has to be of the classes in `may`. So a question with a word that its answer does not
 * cover has no kind. No word may be of a class in `not`, though it says nothing elsewhere.
 */
type Rule = { any: readonly string[]; may: string; not?: string }

/** Terms that have a written definition. */
export const terms = [
  'impermanent',
  'impact',
  'slippage',
  'mev',
  'finality',
  'nonce',
  'allowance',
  'gas',
  'tax',
] as const

/** Every kind of question, the more special ones first. */
const rules = {
  hello: { any: ['greet'], may: 'greet mine' },
  thanks: { any: ['thanks'], may: 'thanks greet help' },
  help: { any: ['help'], may: 'help greet how' },
  // The caller's own trades and money.
  cancel: {
    any: ['cancel token|claim', 'cancel trade|last|waiting'],
    may: 'mine last how can waiting token number count status time chain approval change pronoun block session limit course wallet name default portfolio',
  },
  why_lost: {
    any: [
      'why trade',
      'why mine spent',
      'slippage spent trade',
      'why loss|profit|worst|best',
      'why trade last|mine',
      'loss trade|last slippage|gas|fee|tax',
      'why pronoun loss',
    ],
    may: 'mine money last trade best worst slippage gas fee tax amount token time loss profit price large pronoun chain define spent wallet default name updown number dollars approval status course help in portfolio',
  },
  best_trade: {
    any: ['best trade|profit', 'large profit trade', 'large profit money', 'large profit'],
    may: 'mine trade profit money time last total token large chain change spent default wallet name course daily in portfolio',
  },
  worst_trade: {
    any: ['worst change', 'worst', 'large loss'],
    may: 'mine trade loss profit money time last total token amount large chain change status default wallet name daily tokens course portfolio',
  },
  waiting: {
    any: ['waiting'],
    may: 'mine trade approval status hold count number chain default wallet name time token show last large portfolio total',
  },
  trade_status: {
    any: ['status token', 'status trade', 'transaction', 'execution', 'status mine last', 'hash trade'],
    may: 'mine last hash token number status trade transaction execution waiting chain approval cancel count large default course wallet name portfolio time',
  },
  sessions: {
    any: [
      'session',
      'who can',
      'who trade',
      'who wallet|money',
      'agent can|trade|mine|wallet|money',
      'agent what|show',
    ],
    may: 'who mine trade can money wallet portfolio name support session agent hold balance left count total chain time default daily open chains status',
  },
  slippage_limits: {
    any: [
      'slippage limit',
      'slippage set',
      'slippage default',
      'slippage can',
      'slippage mine',
      'slippage now',
      'slippage number',
    ],
    may: 'limit default set can trade how amount mine large number cap wallet token now change',
  },
  limits: {
    any: ['limit', 'allowance left|mine', 'can trade left|amount|large', 'can spent', 'daily left'],
    may: 'mine can left trade spent amount money wallet time daily allowance number set name hold limit large chain cancel block default portfolio',
  },
  gas_spent: {
    any: ['gas|fee spent|mine|time|total'],
    may: 'gas fee spent mine time total amount trade money count chain default wallet name chains tax course loss portfolio',
  },
  volume: {
    any: ['size trade', 'volume trade|mine|time', 'volume', 'amount trade mine|time'],
    may: 'trade mine time amount total money volume chain course size change',
  },
  change: {
    any: ['token change|updown|course', 'token price time', 'token worth|amount time'],
    may: 'price time amount updown worth change how count bitcoin token last chain course',
  },
  profit: {
    any: ['updown', 'profit', 'loss', 'updown mine|portfolio|time'],
    may: 'profit loss updown mine amount time token by-token money total portfolio trade positions hold wallet spent how last chain default by-wallet name change number tokens course size',
  },
  positions: { any: ['positions'], may: 'mine hold total token chain' },
  trades: {
    any: ['trade-count', 'trade last|time|mine|show|count|what|default|wallet|name'],
    may: 'last time mine count number token total chain wallet default name show change size course portfolio',
    not: 'amount',
  },
  worth: {
    any: [
      'worth total',
      'tokens token hold',
      'worth mine|portfolio|wallet',
      'total money',
      'mine hold|left total|money',
      'amount total dollars',
      'total dollars',
      'worth by-wallet',
      'portfolio',
      'money mine',
    ],
    may: 'portfolio wallet mine total money hold amount token tokens name by-token by-wallet balance left worth count chain default updown course number',
  },
  balance: {
    any: [
      'balance',
      'token hold|left|wallet|mine',
      'tokens mine|hold|wallet',
      'by-wallet',
      'wallet show|mine|address',
      'token name|default amount|count',
      'mine hold what|amount',
    ],
    may: 'balance hold mine token tokens wallet amount count left name by-wallet by-token total portfolio money address worth default chain updown course',
  },
  // The market.
  definition: {
    any: [...terms.flatMap((term) => [`${term} what|define`]), 'impermanent', 'impact', 'mev', 'finality', 'nonce'],
    may: `${terms.join(' ')} define trade tokens token when fee spent send approval agent`,
  },
  gas_price: {
    any: ['gas', 'gwei', 'fee price', 'fee now'],
    may: 'price amount gwei cheap count how chain chains now fee trade',
    not: 'mine',
  },
  bitcoin_height: { any: ['bitcoin block'], may: 'token count amount chains last number hold status trade now send' },
  bitcoin_fees: {
    any: ['byte', 'bitcoin fee|byte|spent', 'bitcoin send price|amount'],
    may: 'token count amount gas price byte trade send fee chains time block now cheap claim spent',
  },
  deepest_pool: {
    any: ['deep pool|liquidity|token', 'large|best pool', 'large liquidity'],
    may: 'status token pool liquidity pair large deep chain count trade tokens best now',
  },
  pools: {
    any: ['pool', 'liquidity token', 'pair'],
    may: 'token liquidity pair chain support count total tokens fee left trade can set',
  },
  price: {
    any: ['price token|name', 'token worth|amount', 'token dollars', 'token now', 'token number'],
    may: 'token amount number worth bitcoin count name price chains',
  },
  bridge: {
    any: ['bridge', 'send transaction chains', 'chains transaction'],
    may: 'mine transaction hash status how token last number time amount trade waiting chains send money time token change chain default',
  },
  faucet: {
    any: ['faucet', 'free money|tokens|token|chain'],
    may: 'how free claim chain token mine amount test support tokens hold spent trade send default wallet time now name',
  },
  risk: {
    any: ['risk'],
    may: 'token name address pronoun tokens why trade mine amount how hash loss fee money now found hold left support contract',
  },
  tokens: { any: ['tokens'], may: 'support trade can chain total count mine left claim risk time token support trade' },
  chains: {
    any: ['chains|protocols support|can|trade', 'chains', 'support protocol', 'support chain'],
    may: 'trade can tokens how mine total protocol chain count chain set left',
  },
  largest: {
    any: ['large protocols', 'large|best protocols|chains', 'large tvl'],
    may: 'tvl money chain count number total protocol best who',
  },
  yields: { any: ['yield'], may: 'best large token mine chain protocol pool how tokens protocols amount change count' },
  research: {
    any: ['tvl', 'protocol', 'chain', 'research token|protocols|chains'],
    may: 'amount money time rising change research protocol chain token tokens protocols chains large yield pool best total how volume',
    not: 'mine',
  },
} as const satisfies Record<string, Rule>

export type Question = keyof typeof rules

export const questions = Object.keys(rules) as Question[]

export function isQuestion(topic: string): topic is Question {
  return Object.hasOwn(rules, topic)
}

/** Classes that stand in any question: they say nothing, or ask for what every answer gives. */
const anywhere: ReadonlySet<string> = new Set(
  'filler in what show now dollars hold pronoun follow greet thanks size how when amount count total can claim set mine'.split(
    ' ',
  ),
)
/** A definition is of no moment and of nobody's own things, and a greeting asks nothing. */
const ofMoment: ReadonlySet<string> = new Set(['now', 'mine', 'dollars', 'amount', 'count'])
const strict: ReadonlySet<string> = new Set<Question>(['definition', 'hello', 'thanks'])
/** The name of a question about a token is that of the token; elsewhere it is that of a wallet. */
export const ofToken: ReadonlySet<string> = new Set<Question>(['price', 'risk'])
/** The most words without a meaning where a rule takes a name. */
const mostNames = 1

type Ready = {
  name: Question
  any: readonly (readonly (readonly string[])[])[]
  covers: ReadonlySet<string>
  not: ReadonlySet<string>
}

const ready: readonly Ready[] = questions.map((name) => {
  const { any, may, not = '' }: Rule = rules[name]
  const sets = any.map((one) => one.split(' ').map((alternatives) => alternatives.split('|')))
  return { name, any: sets, covers: new Set([...sets.flat(2), ...may.split(' ')]), not: new Set(not.split(' ')) }
})

/** Words of a text that mean nothing, those of them that stand where a name does, and whether others were misspelt. */
export type Unread = { count: number; names: number; isCorrected: boolean }

/** The kind of question that takes all of a text; null where none does. One name may mean nothing: its answer refuses it. */
export function questionOf(found: ReadonlySet<string>, { count, names, isCorrected }: Unread): Question | null {
  if (count > mostNames || (count > 0 && isCorrected)) return null
  const classes = new Set([...found, ...(count > 0 ? ['name'] : [])])
  const rule = ready.find(({ name, any, covers, not }) => {
    const isNamed = ofToken.has(name) ? !found.has('token') : names === count
    if (count > 0 && !isNamed) return false
    const isStrict = strict.has(name) && !classes.has('define')
    const isSilent = (one: string) => anywhere.has(one) && !(isStrict && ofMoment.has(one))
    const isTaken = (one: string) => !not.has(one) && (covers.has(one) || one.startsWith('currency ') || isSilent(one))
    return [...classes].every(isTaken) && any.some((set) => set.every((all) => all.some((one) => classes.has(one))))
  })
  return rule?.name ?? null
}

/** Classes of words that say nothing of what a question is about. */
const formal: ReadonlySet<string> = new Set([...anywhere, 'how', 'mine', 'amount', 'count', 'can', 'number', 'name'])

export function isSubject(name: string): boolean {
  return !formal.has(name)
}

/** The kinds of questions that share the most with a text, the nearest first. */
export function nearestTo(classes: readonly string[]): Question[] {
  const subjects = classes.filter((name) => !anywhere.has(name))
  const near = ready.flatMap(({ name, any, covers }) => {
    const asked = any.flat(2)
    const shared =
      subjects.filter((one) => covers.has(one)).length + 2 * subjects.filter((one) => asked.includes(one)).length
    return shared < 2 || strict.has(name) ? [] : [{ name, shared }]
  })
  return near.sort((one, other) => other.shared - one.shared).map(({ name }) => name)
}

/** Questions about trades, which may name the sides of one. */
export const readsTrade: ReadonlySet<Question> = new Set<Question>([
  ...(['cancel', 'why_lost', 'trade_status', 'waiting', 'deepest_pool', 'change', 'risk', 'limits'] as const),
])

/** Classes of words that change an earlier question, and those of them that only lead to the change. */
const changing: ReadonlySet<string> = new Set(
  'token time before name chain protocol address by-token by-wallet default number'.split(' '),
)
const leading: ReadonlySet<string> = new Set([
  ...anywhere,
  'amount',
  'count',
  'mine',
  'price',
  'worth',
  'wallet',
  'last',
])

/** True of words that change a part of a question before them which that question has: `and yesterday?`. */
export function followsUp(classes: readonly string[], unknown: number, { topic }: { topic: string }): boolean {
  const rule = ready.find(({ name }) => name === topic)
  if (rule === undefined || unknown > mostNames) return false
  const named = [...classes, ...(unknown > 0 ? ['name'] : [])].filter((one) => !leading.has(one))
  const isTaken = (one: string) =>
    one.startsWith('currency ') || (changing.has(one) && rule.covers.has(one === 'before' ? 'time' : one))
  return named.length > 0 && named.every(isTaken)
}

/** The question of a text whose `it` or `that` is a token which was named before it: `and how much is that worth?`. */
export function questionOfToken(classes: readonly string[], unknown: number): Question | null {
  const refers = classes.includes('pronoun') || classes.includes('follow')
  return refers && unknown === 0
    ? questionOf(new Set([...classes, 'token']), { count: 0, names: 0, isCorrected: false })
    : null
}
