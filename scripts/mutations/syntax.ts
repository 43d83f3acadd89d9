import { parseSync } from 'oxc-parser'

/** A node of the syntax tree, as far as the mutations read it. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown }
/** A node with its ancestors, the nearest first. */
export type Found = { node: Node; around: Node[] }

/** Every node of a source file. */
export function nodesOf(file: string, text: string): Found[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  return within(program as unknown as Node, [])
}

function within(node: Node, around: Node[]): Found[] {
  const parts = Object.values(node)
    .flatMap((value) => [value].flat())
    .filter(isNode)
  return [{ node, around }, ...parts.flatMap((part) => within(part, [node, ...around]))]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The name of the method that a call calls, such as `max` of `z.string().max(3)`, or of the function. */
export function calledName(node: Node): string | null {
  if (node.type !== 'CallExpression') return null
  const callee = node.callee as Node
  return callee.type === 'MemberExpression' ? nameOf(callee.property as Node) : nameOf(callee)
}

/** True for `z.<name>(…)`. */
export function isZod(node: Node, name: string): boolean {
  const callee = node.callee as Node | undefined
  return calledName(node) === name && callee?.type === 'MemberExpression' && nameOf(callee.object as Node) === 'z'
}

/** The name of an identifier or the text of a literal key. */
export function nameOf(node: Node | undefined): string | null {
  if (node?.type === 'Identifier') return String(node.name)
  return node?.type === 'Literal' ? String(node.value) : null
}

/** The name of a property of an object literal. */
export function keyOf(node: Node): string | null {
  return node.type === 'Property' && node.computed !== true ? nameOf(node.key as Node) : null
}

export function literalOf(node: Node | undefined): unknown {
  return node?.type === 'Literal' ? node.value : undefined
}

export function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The properties of an object literal, or none. */
export function propertiesOf(node: Node | undefined): Node[] {
  return node?.type === 'ObjectExpression' ? listOf(node.properties).filter(({ type }) => type === 'Property') : []
}

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
