/** A table in Markdown. Cells are Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** A Markdown table with columns of equal width, for a terminal; the first row is the head. */
export function alignedTable([head = [], ...body]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...body].map((row) => row[column]?.length ?? 0)))
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...body]
  return lines.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`).join('\n')
}
