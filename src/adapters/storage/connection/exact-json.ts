/** JSON that preserves bigints and dates. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, plain: unknown) {
    const given = this[name] // `plain` holds a date as text already
    if (typeof given === 'bigint') return { $int: given.toString() }
    return given instanceof Date ? { $date: given.toISOString() } : plain
  })
}

/** Parses the output of `exactJson`. */
export function parseExact<T>(text: string): T {
  const parsed: unknown = JSON.parse(text, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if ('$int' in value && typeof value.$int === 'string') return BigInt(value.$int)
    return '$date' in value && typeof value.$date === 'string' ? new Date(value.$date) : value
  })
  return parsed as T // `exactJson` wrote the text from a value of this type
}
