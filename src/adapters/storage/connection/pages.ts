/** The condition that a column of moments is in a half-open range, which may be open; empty where it is on both sides. */
export function during<Column extends string>(column: Column, { start, end }: { start?: Date; end?: Date }) {
  const range = { ...(start === undefined ? {} : { $gte: start }), ...(end === undefined ? {} : { $lt: end }) }
  return (Object.keys(range).length === 0 ? {} : { [column]: range }) as { [C in Column]?: typeof range }
}
