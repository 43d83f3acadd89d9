export type Size = 'hour' | 'day'

/** The milliseconds of an hour and of a day. */
export const slotMs = { hour: 3_600_000, day: 86_400_000 } as const satisfies Record<Size, number>

/** Full slots at `from` or later and before `to`; infinite where the range is open. */
type Slots = { size: Size; from: number; to: number }
/** A range in milliseconds since 1970 that does not fill a slot. */
type Rest = { from: number; to: number }

/**
 * Divides a half-open time range into full days, the full hours on both sides of them, and less than an hour at each
 * end. Together the parts cover the range exactly once. An open end has no rest.
 */
export function piecesOf(start: number | null, end: number | null): { slots: Slots[]; rests: Rest[] } {
  const hours = whole('hour', start, end)
  if (hours === null) return { slots: [], rests: bounded(start, end) }
  const days = whole('day', start, end)
  const slots: Slots[] =
    days === null
      ? [hours]
      : [
          { size: 'hour', from: hours.from, to: days.from * 24 },
          days,
          { size: 'hour', from: days.to * 24, to: hours.to },
        ]
  const rests = [
    ...(start === null ? [] : bounded(start, hours.from * slotMs.hour)),
    ...(end === null ? [] : bounded(hours.to * slotMs.hour, end)),
  ]
  return { slots: slots.filter(({ from, to }) => from < to), rests }
}

function whole(size: Size, start: number | null, end: number | null): Slots | null {
  const from = start === null ? -Infinity : Math.ceil(start / slotMs[size])
  const to = end === null ? Infinity : Math.floor(end / slotMs[size])
  return from < to ? { size, from, to } : null
}

function bounded(from: number | null, to: number | null): Rest[] {
  return from === null || to === null || from >= to ? [] : [{ from, to }]
}
