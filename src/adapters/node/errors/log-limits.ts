import { failureIn, NodeReply } from './failures.ts'

/** How the refusal of a range of logs is meant: its blocks are too many, what is in them is too much, or it makes no sense. */
type RangeRefusal = 'width' | 'size' | 'invalid' | 'future'

/** Words of a rate that is used up, whatever else is said about ranges. */
const rate =
  /rate.?limit|too many requests|(per|a) (second|minute|day|month)|compute units|credits|quota|request count|request rate/i

/** A range that ends beyond the newest block of the node. */
const future =
  /beyond (the )?(current )?(head|latest)|in the future|(greater|higher) than (the )?(latest|head|current)/i

/** A range that contradicts itself. */
const invalid =
  /invalid (block )?range( params)?$|invalid (block )?range params|(from|begin|start)\w* .{0,30}(after|greater|higher|above|larger|bigger) .{0,20}(to|end)|(end|to)\w* .{0,30}(before|less|lower|smaller|<) .{0,20}(from|begin|start)/i

/** How providers say that a range has too many blocks. */
const width =
  /block.?range|range of blocks|(too many|number of|more than [\d,]+) blocks|blocks? (distance|span|limit)|range(s)? (is|are)? ?(too|over|exceed|greater|larger|limit)|limited to .{0,20}range|limit the query|ranges? over|range limit/i

/** How they say that the logs are too many, or take too long to find. */
const size =
  /more than [\d,]+ (results|logs|events)|too many (results|logs|events)|(results|logs|events) (limit|exceed)|(log )?(response|result) (size|is too|too)|query timeout|timed? ?out.{0,40}(range|logs)|(exceed|limit).{0,40}(results|logs|response)/i

/** What the words of a node say about a range of logs; null where they are about something else. */
export function rangeRefusalOf(message: string): RangeRefusal | null {
  if (rate.test(message)) return null
  if (future.test(message)) return 'future'
  if (invalid.test(message)) return 'invalid'
  if (size.test(message)) return 'size'
  return width.test(message) ? 'width' : null
}

/** The node's own words in an error that refused a range of logs as too long; null for other errors. */
export function tooLongIn(error: unknown): { words: string; kind: 'width' | 'size' } | null {
  const failure = failureIn(error)
  if (failure?.code !== 'LIMIT_EXCEEDED' || !(failure.cause instanceof NodeReply)) return null
  const words = failure.cause.message
  return { words, kind: rangeRefusalOf(words) === 'size' ? 'size' : 'width' }
}

const named =
  /(?:max(?:imum)?|limit(?:ed)?|up to|at most|over|exceeds?|more than|only)(?:[^\d[\]()]{0,40}?)\b(\d[\d,]*)(k?)\b/gi

/** How many blocks the words of a refusal allow, below the number that was asked for; null where they name none. */
export function widthNamed(words: string, asked: bigint): bigint | null {
  const plain = words.replaceAll(/from (block )?\d+ to (block )?\d+|0x[0-9a-f]+|\(-?\d+\)$/gi, '')
  const found = [...plain.matchAll(named)].map(
    ([, digits = '0', thousands]) => BigInt(digits.replaceAll(',', '')) * (thousands === '' ? 1n : 1_000n),
  )
  return found.find((blocks) => blocks > 0n && blocks < asked) ?? null
}
