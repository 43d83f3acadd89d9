export type Point = { at: number; value: number }

/** The median of the slopes between all pairs of points (Theil and Sen): a few odd points do not move it. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  )
  return median(slopes.filter(Number.isFinite))
}

/** The middle value; the lower one of two. NaN where there is none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN
}
