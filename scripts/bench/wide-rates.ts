/** Settings with which every request of the two classes is counted and none refused: buckets that no run empties. */
export const wideRates = {
  RATE_LIMITS: 'on',
  RATE_RULES: ['default', 'node'].map((name) => `${name}=999999999/1/999999999`).join(','),
}
