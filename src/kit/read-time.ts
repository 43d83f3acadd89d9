const date = String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`
const clock = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?)?`
const offset = String.raw`(?<offset>[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)`
const form = new RegExp(`^${date}(?:[Tt ]${clock}${offset}?)?$`)

/**
 * A time as `toISOString` writes it, from any form of RFC 3339; null for another text. Also read are offsets without a colon
 * or minutes, times without seconds, and dates, each the start of its day. Without an offset the time is in UTC. A leap
 * second is the next second; what follows milliseconds is cut off.
 */
export function readTime(text: string): string | null {
  const parts = form.exec(text)?.groups
  if (parts === undefined) return null
  const { year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offset: from = 'Z' } = parts
  const start = new Date(0)
  start.setUTCFullYear(Number(year), Number(month) - 1, Number(day)) // Date.UTC takes the years below 100 for later ones
  if (start.getUTCMonth() !== Number(month) - 1 || start.getUTCDate() !== Number(day)) return null
  const minutes = Number(hour) * 60 + Number(minute) - minutesOf(from)
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const read = new Date(start.getTime() + (minutes * 60 + Number(second)) * 1_000 + milliseconds)
  // As in protobuf; further years have other forms.
  return read.getUTCFullYear() < 1 || read.getUTCFullYear() > 9_999 ? null : read.toISOString()
}

/** Minutes from UTC to a local time. */
function minutesOf(offset: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
