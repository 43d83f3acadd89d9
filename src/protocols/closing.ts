/** Waits until a server has closed, or until its grace is over: then what is still open is cut and not waited for. */
export async function closeWithin(graceMs: number, closed: Promise<unknown>, cut: () => void): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    cut()
    over.resolve()
  }, graceMs)
  await Promise.race([closed, over.promise]).finally(() => clearTimeout(timer))
}
