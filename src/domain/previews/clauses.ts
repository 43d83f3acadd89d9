/** Words that begin a request of their own. */
const beginnings = new Set(
  (
    'research look summarise summarize compare explain quote price swap trade buy sell convert exchange check assess ' +
    'rate review show tell give get find list what how which is are'
  ).split(' '),
)

/** Words that join two requests, and those that may follow them. */
const joining = new Set(['and', 'then', '&', 'plus'])
const following = new Set(['also', 'please', 'after', 'that'])

const marks = new Set(',;.?!')

/** The most requests that are looked for in a text. */
const mostClauses = 10

/**
 * The requests that a text joins, such as `research uniswap` and `quote 1 ETH to USDC`; the whole text where it is one. A
 * request begins with its own word, after a mark, a line or a joining word.
 */
export function clausesOf(text: string): string[] {
  const clauses: string[][] = []
  let words: string[] = []
  /** The joining words since the last word of a request; null where nothing has ended it. */
  let between: string[] | null = []
  for (const [word] of text.matchAll(/\S+|\n/g)) {
    if (word === '\n') {
      between ??= []
      continue
    }
    const bare = withoutMarks(word.toLowerCase())
    if (joining.has(bare) || (between !== null && following.has(bare))) {
      between = [...(between ?? []), word].slice(-mostClauses)
      continue
    }
    if (between !== null && beginnings.has(bare) && words.length > 0) {
      clauses.push(words)
      words = []
    } else if (words.length > 0) words.push(...(between ?? []))
    words.push(word)
    between = marks.has(word.at(-1) ?? '') ? [] : null
  }
  if (words.length > 0) clauses.push(words)
  return clauses.length > mostClauses ? [text] : clauses.map((clause) => clause.join(' '))
}

/** A word without the marks at its end. A regular expression would take quadratic time. */
function withoutMarks(word: string): string {
  let end = word.length
  while (marks.has(word[end - 1] ?? '')) end -= 1
  return word.slice(0, end)
}
