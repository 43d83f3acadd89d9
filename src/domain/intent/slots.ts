/** What a sentence names, with the same keys always; null or empty where it names nothing. */
export type Slots = {
  /** Decimal text as a number would be written, such as `1.5`. */
  amount: string | null
  /** Which side the amount counts: `buy 2 WETH with USDC` counts what comes out. */
  amount_of: 'token_in' | 'token_out' | null
  token_in: string | null
  token_out: string | null
  /** Every token named, in order of appearance, as symbols or addresses. */
  tokens: string[]
  chain: string | null
  addresses: string[]
  slippage_bps: number | null
}

/** What the slot reader knows of the world: symbols in upper case and names of chains in lower case. */
export type Vocabulary = {
  symbols: readonly string[]
  chains: readonly string[]
  nativeSymbol: string
  wrappedSymbol: string
}

const addressPattern = /0x[0-9a-f]{40}(?![0-9a-f])/gi

const numberWords: Record<string, string> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twenty: '20',
  fifty: '50',
  hundred: '100',
  half: '0.5',
  a: '1',
  an: '1',
}

type Found = { token: string; at: number }

/** Reads amounts, tokens, chain, addresses and slippage out of a sentence. Pure; the text is at most 8,000 characters. */
export function readSlots(text: string, vocabulary: Vocabulary): Slots {
  const slippage = readSlippage(text)
  const rest = slippage === null ? text : text.replace(slippage.text, ' '.repeat(slippage.text.length))
  const addresses = [...new Set(rest.match(addressPattern) ?? [])]
  const found = findTokens(rest, vocabulary)
  const sides = readSides(rest, found)
  const amount = readAmount(rest, found)
  return {
    amount: amount?.value ?? null,
    amount_of:
      amount === null
        ? null
        : amount.token !== null && amount.token === sides.tokenOut && amount.token !== sides.tokenIn
          ? 'token_out'
          : 'token_in',
    token_in: sides.tokenIn,
    token_out: sides.tokenOut,
    tokens: [...new Set(found.map((item) => item.token))],
    chain: readChain(rest, vocabulary),
    addresses,
    slippage_bps: slippage?.bps ?? null,
  }
}

/** Tokens by symbol or address, in order; the native symbol stands for its wrapped token, which is what pools trade. */
function findTokens(text: string, vocabulary: Vocabulary): Found[] {
  const found: Found[] = []
  for (const match of text.matchAll(/0x[0-9a-f]{40}(?![0-9a-f])|[a-z][a-z0-9]*/gi)) {
    const word = match[0]
    const upper = word.toUpperCase()
    if (/\bon\s+(the\s+)?$/i.test(text.slice(0, match.index)) && vocabulary.chains.includes(word.toLowerCase()))
      continue
    if (word.startsWith('0x') && word.length === 42) found.push({ token: word, at: match.index })
    else if (vocabulary.symbols.includes(upper)) found.push({ token: upper, at: match.index })
    else if (upper === vocabulary.nativeSymbol || upper === 'ETHER' || upper === 'ETHEREUM')
      found.push({ token: vocabulary.wrappedSymbol, at: match.index })
    else if (upper === 'BTC' || upper === 'BITCOIN') {
      const wrapped = vocabulary.symbols.find((symbol) => symbol === 'WBTC')
      if (wrapped !== undefined) found.push({ token: wrapped, at: match.index })
    } else if (upper === 'DOLLARS' || upper === 'DOLLAR' || upper === 'USD') {
      const stable = vocabulary.symbols.find((symbol) => symbol.startsWith('USD'))
      if (stable !== undefined) found.push({ token: stable, at: match.index })
    }
  }
  return found
}

function readSides(text: string, found: readonly Found[]): { tokenIn: string | null; tokenOut: string | null } {
  const distinct = found.filter((item, index) => found.findIndex((other) => other.token === item.token) === index)
  const [first, second] = distinct
  if (first === undefined) return { tokenIn: null, tokenOut: null }
  const buying = /\b(buy|buying|purchase|acquire|get|obtain|receive)\b/i.exec(text)
  const before = text.slice(0, first.at)
  const leadsWithBuy =
    buying !== null && buying.index < first.at && !/\b(swap|sell|trade|convert|exchange)\b/i.test(before)
  if (second === undefined) {
    const goesOut = leadsWithBuy || /\b(to|into|for)\s+\W*$/i.test(before)
    return goesOut ? { tokenIn: null, tokenOut: first.token } : { tokenIn: first.token, tokenOut: null }
  }
  const between = text.slice(first.at, second.at)
  const asksFor = /\b(how (much|many)|what)\s+\W*$/i.test(before) && /\b(for|from|with|per)\b/i.test(between)
  const paidWith = /\b(with|using|from|out of|paying)\b/i.test(between)
  const receivedFor = leadsWithBuy && /\b(for|per|if)\b/i.test(between)
  return paidWith || receivedFor || asksFor
    ? { tokenIn: second.token, tokenOut: first.token }
    : { tokenIn: first.token, tokenOut: second.token }
}

function readAmount(text: string, found: readonly Found[]): { value: string; token: string | null } | null {
  const digits = /(?<![\w.])\$?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(k|m)?(?![\w%]|\.\d)/gi
  for (const match of text.matchAll(digits)) {
    const value = scaled((match[1] ?? '').replaceAll(',', ''), match[2])
    return { value, token: nextToken(found, match.index + match[0].length) }
  }
  for (const match of text.matchAll(/\b([a-z]+)\s+(?:an?\s+|of\s+(?:an?\s+)?)?(?=[a-z0-9])/gi)) {
    const value = numberWords[(match[1] ?? '').toLowerCase()]
    const end = match.index + match[0].length
    if (value !== undefined && found.some((item) => item.at === end)) return { value, token: nextToken(found, end) }
  }
  return null
}

function nextToken(found: readonly Found[], from: number): string | null {
  return found.find((item) => item.at >= from && item.at - from < 12)?.token ?? null
}

/** `2.5` with `k` is 2500: digits are shifted as text, no float is made. */
function scaled(digits: string, suffix: string | undefined): string {
  const places = suffix === undefined ? 0 : suffix.toLowerCase() === 'k' ? 3 : 6
  const [whole = '', fraction = ''] = digits.split('.')
  const padded = fraction.padEnd(places, '0')
  const left = (whole + padded.slice(0, places)).replace(/^0+(?=\d)/, '') || '0'
  const right = padded.slice(places)
  return right === '' ? left : `${left}.${right}`
}

function readSlippage(text: string): { bps: number; text: string } | null {
  const patterns = [
    /slippage\s*(?:of|at|=|:|is|tolerance|max|under|below|up to|\s)*\s*(\d+(?:\.\d+)?)\s*(%|percent|bps|basis points)/i,
    /(\d+(?:\.\d+)?)\s*(%|percent|bps|basis points)\s*(?:of\s+)?(?:max(?:imum)?\s+)?slippage/i,
    /(\d+(?:\.\d+)?)\s*(bps|basis points)/i,
  ]
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match === null) continue
    const value = Number(match[1])
    const unit = (match[2] ?? '').toLowerCase()
    return { bps: Math.round(unit === '%' || unit === 'percent' ? value * 100 : value), text: match[0] }
  }
  return null
}

function readChain(text: string, vocabulary: Vocabulary): string | null {
  const lower = text.toLowerCase()
  const named = vocabulary.chains.find((chain) =>
    new RegExp(`\\b(?:on|chain)\\s+(?:the\\s+)?${escaped(chain)}\\b`).test(lower),
  )
  if (named !== undefined) return named
  const id = /\bchain(?:\s+id)?\s+(\d{1,10})\b/.exec(lower)
  return id?.[1] ?? null
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
