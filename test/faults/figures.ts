/** Prints a line of figures of a fault test. */
export function figures(of: string, values: Record<string, unknown>): void {
  const texts = Object.entries(values).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join('/') : value}`,
  )
  console.log(`FAULTS ${of}: ${texts.join(' ')}`)
}
