/** Conversions that the generated code shares, between values of the contract and of protobuf. */

/** `true` where an object type has exactly these keys. */
export type SameKeys<T, Keys extends string> = [keyof T] extends [Keys]
  ? [Keys] extends [keyof T]
    ? true
    : false
  : false

/** A received value that is not validated yet: any field may be missing, an enum may be any text, a record may have any values. */
export type Sent<T> = unknown extends T
  ? unknown
  : T extends string
    ? string
    : T extends readonly (infer Item)[]
      ? Sent<Item>[]
      : T extends object
        ? string extends keyof T
          ? { [key: string]: unknown }
          : { [Key in keyof T]?: Sent<T[Key]> | undefined }
        : T

/** A google.protobuf.Timestamp. */
export type Timestamp = { seconds: bigint; nanos: number }

/** 0001-01-01 and 9999-12-31, the range of google.protobuf.Timestamp, in seconds since 1970. */
const firstSecond = -62_135_596_800
const lastSecond = 253_402_300_799

/** Throws RangeError where the text is not a moment. The precision is milliseconds. */
export function toTimestamp(text: string): Timestamp {
  const milliseconds = Date.parse(text)
  const seconds = Math.floor(milliseconds / 1_000)
  const nanos = (milliseconds - seconds * 1_000) * 1_000_000
  if (!isMoment(seconds, nanos)) throw new RangeError('not a moment between the years 1 and 9999')
  return { seconds: BigInt(seconds), nanos }
}

/** The moment as text; what is invalid in protobuf becomes a text that is no time, which the contract refuses by its field. */
export function fromTimestamp(timestamp: Timestamp): string {
  const { nanos } = timestamp
  const seconds = Number(timestamp.seconds)
  if (!isMoment(seconds, nanos)) return 'not of the years 1 to 9999'
  return new Date(seconds * 1_000 + Math.floor(nanos / 1_000_000)).toISOString()
}

function isMoment(seconds: number, nanos: number): boolean {
  return seconds >= firstSecond && seconds <= lastSecond && nanos >= 0 && nanos < 1_000_000_000
}

/** The object without the fields that are absent. */
export function present<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/** Converts a value unless it is absent. */
export function maybe<From, To>(value: From | null | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined || value === null ? undefined : convert(value)
}

/** Protobuf cannot distinguish an empty list from an absent one; in an optional field it is absent. */
export function filled<Item>(list: Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : list
}

/** The same as `filled`, for a map: an absent map becomes an empty one. */
export function filledMap<Value>(map: Record<string, Value>): Record<string, Value> | undefined {
  return Object.keys(map).length === 0 ? undefined : map
}

export function eachFrom<From, To>(list: From[], convert: (value: From) => To): To[] {
  return list.map((item) => convert(item))
}

export function toOneOrMany<Item>(value: Item | Item[] | undefined): Item[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

export function fromOneOrMany<Item>(list: Item[]): Item | Item[] | undefined {
  return list.length > 1 ? list : list[0]
}

type Topic = string | string[] | null

/** An empty position matches any topic. */
export function toTopics(topics: Topic[] | undefined): { any_of: string[] }[] {
  return (topics ?? []).map((topic) => ({ any_of: topic === null ? [] : toOneOrMany(topic) }))
}

export function fromTopics(positions: { any_of: string[] }[]): Topic[] {
  return positions.map(({ any_of }) => fromOneOrMany(any_of) ?? null)
}

/** The list of the contract is the one of the two lists that has items; two empty ones are an empty list. */
export function toEitherList<Full, Stub>(
  list: (string | Full)[],
  toFull: (full: Full) => Stub,
): { hashes: string[]; full: Stub[] } {
  const hashes = list.filter((item) => typeof item === 'string')
  const full = list.filter((item): item is Exclude<typeof item, string> => typeof item !== 'string')
  return { hashes, full: full.map((item) => toFull(item)) }
}

export function fromEitherList<Full, Stub>(
  lists: { hashes: string[]; full: Stub[] },
  fromFull: (stub: Stub) => Full,
): string[] | Full[] {
  return lists.full.length > 0 ? lists.full.map((item) => fromFull(item)) : lists.hashes
}
