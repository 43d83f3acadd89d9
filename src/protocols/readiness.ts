/** Parts that the gateway does without while they are away. */
const aids = new Set(['redis'])

/** Whether the gateway is ready, by the states of its checked parts. */
export function isReady(states: Readonly<Record<string, string>>): boolean {
  return Object.entries(states).every(([name, state]) => state === 'ok' || aids.has(name))
}
