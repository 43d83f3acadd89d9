/** Prints a line of figures of a fault test. */
export function figures(of: string, values: Record<string, unknown>): void {
  const received = Object.entries(values).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join('/') : value}`,
  )
  console.log(`FAULTS ${of}: ${received.join(' ')}`)
}
