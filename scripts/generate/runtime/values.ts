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

type EitherList<Stub> =
  | { $case: 'hashes'; value: { items: string[] } }
  | { $case: 'full'; value: { items: Stub[] } }
  | undefined

/** The list of the contract is the one of the two lists that is there. */
export function toEitherList<Full, Stub>(
  list: (string | Full)[],
  toFull: (full: Full) => Stub,
): { list: EitherList<Stub> } {
  const full = list.filter((item): item is Exclude<typeof item, string> => typeof item !== 'string')
  if (full.length > 0) return { list: { $case: 'full', value: { items: full.map((item) => toFull(item)) } } }
  return { list: { $case: 'hashes', value: { items: list.filter((item) => typeof item === 'string') } } }
}

export function fromEitherList<Full, Stub>(
  { list }: { list?: EitherList<Stub> },
  fromFull: (stub: Stub) => Full,
): string[] | Full[] {
  return list?.$case === 'full' ? list.value.items.map((item) => fromFull(item)) : (list?.value.items ?? [])
}

/** The value of a oneof where it is of this case. */
export function caseOf<Case extends { $case: string; value: unknown }, Name extends Case['$case']>(
  oneof: Case | undefined,
  name: Name,
): Extract<Case, { $case: Name }>['value'] | undefined {
  return oneof?.$case === name ? oneof.value : undefined
}

/** A scalar, where it is not the zero that stands for an absent one. */
export function nonZero<T>(value: T): T | undefined {
  return value ? value : undefined
}

/** An enum between the texts of the contract and the numbers of protobuf. */
export type EnumSet<Stub extends number> = {
  /** Zero where it is absent. A text that the contract does not have is a number that no reader knows. */
  to(text: string | null | undefined): Stub
  /** Undefined for zero. A number of a newer version is a text that no contract has, so that nothing takes it for another. */
  from(number: Stub): string | undefined
}

export function enumOf<Stub extends number>(numbers: Readonly<Record<string, number>>): EnumSet<Stub> {
  const texts = new Map(Object.entries(numbers).map(([text, number]): [number, string] => [number, text]))
  return {
    to: (text) => (text == null ? 0 : Object.hasOwn(numbers, text) ? numbers[text] : unknownNumber) as Stub,
    from: (number) => (number === 0 ? undefined : (texts.get(number) ?? `unknown:${number}`)),
  }
}

const unknownNumber = -1

/** The texts of a list of an enum; none of its values can be absent. */
export function eachEnum<Stub extends number>(list: Stub[], from: (number: Stub) => string | undefined): string[] {
  return list.map((number) => from(number) ?? 'unspecified')
}
