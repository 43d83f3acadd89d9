import type { Word } from './words.ts'

/** A half-open span of time; `until` is null where it lasts to the present. Its words are from `at`, up to but without `next`. */
export type Period = { since: Date; until: Date | null; at: number; next: number }

type Span = { since: Date; until: Date | null; next: number }
type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

const units = new Map<string, Unit>([
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((name): [string, Unit] => [name, 'minute']),
  ...['h', 'hr', 'hrs', 'hour', 'hours', 'hourly'].map((name): [string, Unit] => [name, 'hour']),
  ...['d', 'day', 'days'].map((name): [string, Unit] => [name, 'day']),
  ...['w', 'wk', 'week', 'weeks'].map((name): [string, Unit] => [name, 'week']),
  ...['mo', 'month', 'months'].map((name): [string, Unit] => [name, 'month']),
  ...['quarter', 'quarters'].map((name): [string, Unit] => [name, 'quarter']),
  ...['y', 'yr', 'year', 'years'].map((name): [string, Unit] => [name, 'year']),
])
const counts = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const months = 'january february march april may june july august september october november december'.split(' ')
const minuteMs = 60_000
const dayMs = 86_400_000

/** The first span of time that a text names: `last 7 days`, `past week`, `over 24h`, `since Monday`, `in 2025`, `today`. */
export function readPeriod(words: readonly Word[], now: Date): Period | null {
  const plain = words.map((word) => ({ ...word, lower: word.lower.replace(/'s$/, '') }))
  for (const [at] of plain.entries()) {
    const span = readBack(plain, at, now) ?? readSince(plain, at, now) ?? readNamed(plain, at, now)
    if (span !== null && span.since <= now) return { ...span, since: new Date(Math.max(0, span.since.getTime())), at }
  }
  return null
}

/** `last 7 days`, `past week`, `over 24h`, `previous month`: always the span up to now, not that of the calendar. */
function readBack(words: readonly Word[], at: number, now: Date): Span | null {
  const lead = words[at]?.lower ?? ''
  if (!['last', 'past', 'previous', 'over', 'trailing', 'recent'].includes(lead)) return null
  const from = ['the', 'last', 'past', 'a'].includes(words[at + 1]?.lower ?? '') ? at + 2 : at + 1
  const counted = readCount(words, from) ?? readCount(words, from + 1)
  if (counted !== null) return { since: before(now, counted.count, counted.unit), until: null, next: counted.next }
  const unit = units.get(words[from]?.lower ?? '')
  if (unit === undefined || (lead === 'over' && from === at + 1)) return readLastDay(words, at, now)
  return { since: before(now, 1, unit), until: null, next: from + 1 }
}

/** `last Monday`, `last night`. */
function readLastDay(words: readonly Word[], at: number, now: Date): Span | null {
  const name = words[at + 1]?.lower ?? ''
  if (words[at]?.lower !== 'last') return null
  if (name === 'night') return { since: daysBack(now, 1), until: null, next: at + 2 }
  const back = daysSince(name, now)
  if (back === null) return null
  return { since: daysBack(now, back), until: daysBack(now, back - 1), next: at + 2 }
}

/** `7 days`, `24h`, `30-day`, `seven days`. */
function readCount(words: readonly Word[], at: number): { count: number; unit: Unit; next: number } | null {
  const word = words[at]
  if (word === undefined) return null
  const count = /^\d{1,5}$/.test(word.text) ? Number(word.text) : counts.indexOf(word.lower)
  if (count < 1) return null
  const behind = words[at + 1]?.lower === '-' ? at + 2 : at + 1
  const name = words[behind]
  const unit = units.get(name?.lower ?? '')
  // A letter is a unit where it touches its number; `2 y medio` is no time.
  const isLetter = name?.lower.length === 1 && !name.glued
  return unit === undefined || isLetter ? null : { count, unit, next: behind + 1 }
}

/** `since Monday`, `since March 2025`, `since 2025-01-31`, `since yesterday`. */
function readSince(words: readonly Word[], at: number, now: Date): Span | null {
  if (!['since', 'from'].includes(words[at]?.lower ?? '')) return null
  const from = ['last', 'the'].includes(words[at + 1]?.lower ?? '') ? at + 2 : at + 1
  const back = daysSince(words[from]?.lower ?? '', now)
  if (back !== null) return { since: daysBack(now, back), until: null, next: from + 1 }
  const date = readDate(words, from, now) ?? readMonth(words, from, now) ?? readYear(words, from)
  const named = date ?? (words[at]?.lower === 'since' ? readNamed(words, from, now) : null)
  return named === null ? null : { ...named, until: null }
}

/** `today`, `yesterday`, `this week`, `in 2025`, `in March`, `on 2025-01-31`, `24h`, `ytd`. */
function readNamed(words: readonly Word[], at: number, now: Date): Span | null {
  const name = words[at]?.lower ?? ''
  if (name === 'today') return { since: daysBack(now, 0), until: null, next: at + 1 }
  if (name === 'yesterday') return { since: daysBack(now, 1), until: daysBack(now, 0), next: at + 1 }
  if (name === 'day-before-yesterday') return { since: daysBack(now, 2), until: daysBack(now, 1), next: at + 1 }
  if (name === 'overnight') return { since: before(now, 12, 'hour'), until: null, next: at + 1 }
  if (name === 'month-start') return { since: startOf('month', now), until: null, next: at + 1 }
  if (name === 'ytd') return { since: startOf('year', now), until: null, next: at + 1 }
  const unit = units.get(words[at + 1]?.lower ?? '')
  if (name === 'this' && unit !== undefined) return { since: startOf(unit, now), until: null, next: at + 2 }
  if (name === 'in' || name === 'during' || name === 'on' || name === 'for')
    return readDate(words, at + 1, now) ?? readMonth(words, at + 1, now) ?? readYear(words, at + 1)
  const counted = words[at]?.kind === 'number' ? readCount(words, at) : null
  const date = readDate(words, at, now)
  if (date !== null) return date
  if (counted === null || counted.unit === 'minute') return null
  return { since: before(now, counted.count, counted.unit), until: null, next: counted.next }
}

/** `2025-01-31`, `1 March`, `1st of March`, `March 1st 2025`: without a year the last such day. */
function readDate(words: readonly Word[], at: number, now: Date): Span | null {
  return readIsoDate(words, at) ?? readDayOfMonth(words, at, now)
}

function readDayOfMonth(words: readonly Word[], at: number, now: Date): Span | null {
  const leading = readDay(words, at)
  const behind = leading?.next ?? at
  const monthAt = words[behind]?.lower === 'of' ? behind + 1 : behind
  const month = months.indexOf(words[monthAt]?.lower ?? '')
  const day = leading ?? readDay(words, monthAt + 1)
  if (month < 0 || day === null) return null
  const yearAt = Math.max(monthAt + 1, day.next)
  const year = readYear(words, yearAt)
  const onDay = (ofYear: number) => new Date(Date.UTC(ofYear, month, day.day))
  const [thisYear, lastYear] = [onDay(now.getUTCFullYear()), onDay(now.getUTCFullYear() - 1)]
  const since = year !== null ? onDay(year.since.getUTCFullYear()) : thisYear > now ? lastYear : thisYear
  if (since.getUTCMonth() !== month) return null
  return { since, until: new Date(since.getTime() + dayMs), next: year?.next ?? yearAt }
}

/** `1`, `1st`, `31`. */
function readDay(words: readonly Word[], at: number): { day: number; next: number } | null {
  const word = words[at]
  const day = /^\d{1,2}$/.test(word?.text ?? '') ? Number(word?.text) : 0
  if (day < 1 || day > 31) return null
  const ordinal = ['st', 'nd', 'rd', 'th'].includes(words[at + 1]?.lower ?? '')
  return { day, next: ordinal ? at + 2 : at + 1 }
}

/** With or without its dashes, which a text without marks has lost. */
function readIsoDate(words: readonly Word[], at: number): Span | null {
  const [length, written] = words[at + 1]?.lower === '-' ? [5, ''] : [3, '-']
  const date = words.slice(at, at + length).map(({ text }) => text)
  const since = new Date(`${date.join(written)}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date.join(written)) || Number.isNaN(since.getTime())) return null
  return { since, until: new Date(since.getTime() + dayMs), next: at + length }
}

/** `March`, `March 2025`: of this year, or of the last year where this March is in the future. */
function readMonth(words: readonly Word[], at: number, now: Date): Span | null {
  const month = months.indexOf(words[at]?.lower ?? '')
  if (month < 0) return null
  const year = readYear(words, at + 1)
  const ofYear = year?.since.getUTCFullYear() ?? now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0)
  const [since, until] = [0, 1].map((step) => new Date(Date.UTC(ofYear, month + step))) as [Date, Date]
  return { since, until, next: year?.next ?? at + 1 }
}

function readYear(words: readonly Word[], at: number): Span | null {
  const text = words[at]?.text ?? ''
  if (!/^20\d{2}$/.test(text)) return null
  const [since, until] = [0, 1].map((step) => new Date(Date.UTC(Number(text) + step, 0))) as [Date, Date]
  return { since, until, next: at + 1 }
}

/** Days from the last such weekday to today, at least one; null for another word. */
function daysSince(name: string, now: Date): number | null {
  const weekday = weekdays.indexOf(name)
  return weekday < 0 ? null : (now.getUTCDay() - weekday + 7) % 7 || 7
}

/** The beginning, in UTC, of the day that number of days ago. */
function daysBack(now: Date, days: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days))
}

function before(now: Date, count: number, unit: Unit): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const monthsBack = { month: count, quarter: 3 * count, year: 12 * count, minute: 0, hour: 0, day: 0, week: 0 }[unit]
  if (monthsBack > 0) {
    // A shorter month that lacks this day has its last day instead.
    const last = new Date(Date.UTC(year, month - monthsBack + 1, 0)).getUTCDate()
    const first = Date.UTC(year, month - monthsBack, Math.min(day, last))
    return new Date(first + (now.getTime() % dayMs))
  }
  const length = { minute: minuteMs, hour: 60 * minuteMs, day: dayMs, week: 7 * dayMs }[unit as 'minute']
  return new Date(now.getTime() - count * length)
}

function startOf(unit: Unit, now: Date): Date {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  if (unit === 'year') return new Date(Date.UTC(year, 0))
  if (unit === 'quarter') return new Date(Date.UTC(year, month - (month % 3)))
  if (unit === 'month') return new Date(Date.UTC(year, month))
  return daysBack(now, unit === 'week' ? (now.getUTCDay() + 6) % 7 : 0)
}
