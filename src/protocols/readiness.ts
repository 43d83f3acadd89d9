/** Whether the gateway is ready, by the states of its checked parts. */
export function isReady(states: Readonly<Record<string, string>>): boolean {
  return Object.values(states).every((state) => state === 'ok')
}
