import type { ComponentChildren } from 'preact'

/** A column: its name, and whether it has numbers, which stand to the right. */
export type Column = string | { number: string }

/** A table that scrolls sideways within the page, by keyboard too. */
export function Table({
  label,
  columns,
  children,
}: {
  label: string
  columns: readonly Column[]
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll a wide table.
    <section class="wide" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column}>{column}</th>
              ) : (
                <th key={column.number} class="number">
                  {column.number}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
