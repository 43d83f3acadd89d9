/** Milliseconds between two payments to one address. */
export const dayMs = 86_400_000

/** When an address that was paid at the moment may claim again. */
export function nextClaimTime(paidAt: Date): string {
  return new Date(paidAt.getTime() + dayMs).toISOString()
}
