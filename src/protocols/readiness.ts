/** Parts that the gateway does without while they are away: of those that trade, others may serve the reads. */
const aids = new Set(['redis', 'worker'])

/** Whether the gateway is ready, by the states of its checked parts. */
export function isReady(states: Readonly<Record<string, string>>): boolean {
  return Object.entries(states).every(([name, state]) => state === 'ok' || aids.has(name))
}
