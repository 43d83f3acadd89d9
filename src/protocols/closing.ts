/** Waits until a server has closed, at most `graceMs`. Then `cut` ends what is still open, without further waiting. */
export async function closeWithin(graceMs: number, closed: Promise<unknown>, cut: () => void): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    cut()
    over.resolve()
  }, graceMs)
  await Promise.race([closed, over.promise]).finally(() => clearTimeout(timer))
}
