import { z } from 'zod'

type Issue = z.core.$ZodIssue

/**
 * The message of a violation, which follows the name of the field: "amount_in must be ...". With the schema of the field a
 * number that has to be sent as text is shown in the form that it takes there.
 */
export function wordsOf(issue: Issue, field?: z.core.$ZodType): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${ownWords(issue) ?? rightType(issue, field)}`
    case 'too_small':
      return `must ${sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return `must be ${ownWords(issue) ?? formatNames[issue.format] ?? `of the format ${issue.format}`}`
    case 'invalid_union':
      return ownWords(issue) ?? 'has none of the shapes that this field takes'
    case 'invalid_key':
      return `has a name that ${issue.issues[0] === undefined ? 'it cannot have' : wordsOf(issue.issues[0] as Issue)}`
    default:
      return issue.message
  }
}

/** The message of a field that is null. Some languages write so what they do not send. */
export function nullWords(isOptional: boolean, issue: Issue): string {
  return isOptional ? 'cannot be null; leave the field out' : `${wordsOf(issue)}, and is null`
}

/** The message of the contract; those of zod start with "Invalid". */
function ownWords({ message }: Issue): string | null {
  return message.startsWith('Invalid ') ? null : message
}

/** The name of the type, and a value that was sent as another type as it has to be sent. */
function rightType({ expected, input }: z.core.$ZodIssueInvalidType, field?: z.core.$ZodType): string {
  const name = typeNames[expected] ?? expected
  if (expected === 'string' && typeof input === 'number') {
    // A number of more digits may have lost some when its JSON was read.
    const digits = String(input)
    const hex = Number.isSafeInteger(input) && input >= 0 ? `0x${input.toString(16)}` : null
    const takes = (text: string) => field !== undefined && z.safeParse(field, text).success
    if (!takes(digits) && hex !== null && takes(hex)) return `${name} in quotes, in hex: "${hex}"`
    if (!/^-?[\d.]{1,15}$/.test(digits)) return `${name} in quotes, such as "0.5"`
    return field === undefined || takes(digits) ? `${name} in quotes: "${digits}"` : name
  }
  if (Array.isArray(input)) return `${name}, and is a list: send the field once`
  if (typeof input !== 'string') return name
  if (expected === 'number' || expected === 'int')
    return /^(0|-?[1-9]\d{0,14})$/.test(input) ? `${name} without quotes: ${input}` : name
  return expected === 'boolean' && /^(true|false)$/.test(input) ? `${name} without quotes` : name
}

function sized(origin: string, comparison: string, bound: number | bigint): string {
  const unit = { string: 'characters', array: 'items', record: 'fields', object: 'fields' }[origin]
  return unit === undefined ? `be ${comparison} ${bound}` : `have ${comparison} ${bound} ${unit}`
}

const typeNames: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formatNames: Record<string, string> = {
  email: 'an email address',
  uuid: 'a UUID',
  datetime: 'a time such as 2026-01-31T12:00:00Z, or a date such as 2026-01-31 (in a URL, write + as %2B)',
  url: 'a URL',
}
