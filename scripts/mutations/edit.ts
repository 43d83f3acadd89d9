import type { Node } from './syntax.ts'

/** The replacement of a part of a file by another text. */
export type Edit = { start: number; end: number; to: string }

/** The edit that replaces a node by another text; none where there is no node. */
export function replace(node: Node | undefined, to: string): Edit[] {
  return node === undefined ? [] : [{ start: node.start, end: node.end, to }]
}

/** Removes a property with the comma after it. */
export function without({ start, end }: Node, text: string): Edit {
  const comma = /^\s*,/.exec(text.slice(end))?.[0] ?? ''
  return { start, end: end + comma.length, to: '' }
}
