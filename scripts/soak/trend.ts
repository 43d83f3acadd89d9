import { median } from '../percentiles.ts'

export type Point = { at: number; value: number }

/** The median of the slopes between all pairs of points (Theil and Sen): a few odd points do not move it. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  )
  return median(slopes.filter(Number.isFinite))
}
