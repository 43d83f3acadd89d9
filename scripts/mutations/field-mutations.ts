import { type Edit, replace } from './edit.ts'
import { calledName, type Found, isZod, keyOf, listOf, literalOf, type Node, nameOf, propertiesOf } from './syntax.ts'

/** Mutations of a field: by kind, the edits for a node of the contract's source. */
export const fieldMutations: Record<string, (found: Found, text: string) => Edit[]> = {
  type({ node, around }) {
    const next = around[1] === undefined ? null : calledName(around[1])
    const bare = next === null || ['describe', 'optional', 'nullable', 'meta'].includes(next)
    const to = isZod(node, 'boolean') ? 'int32' : isZod(node, 'int32') || isZod(node, 'int') ? 'string' : null
    if (to !== null) return replace(node, `z.${to}()`)
    return isZod(node, 'string') && bare ? replace(node, 'z.boolean()') : []
  },
  'bound loosened': ({ node }, text) => bound(node, text, { min: '-', max: '+' }),
  'bound tightened': ({ node }, text) => bound(node, text, { min: '+', max: '-' }),
  pattern({ node }) {
    const [rule] = listOf(node.arguments)
    return calledName(node) === 'regex' && rule !== undefined && 'regex' in rule ? replace(rule, '/^[^]*$/') : []
  },
  'made optional': (found, text) => alwaysGiven(found, text, 'optional()'),
  'made required': (found, text) =>
    fieldsOf(found, text).flatMap(({ property, name, said }) =>
      said.includes('.optional()') ? replace(property, `${name}: ${said.replace('.optional()', '')}`) : [],
    ),
  'nullable removed': (found) => callsGone(found, ['nullable']),
  'nullable added': (found, text) => alwaysGiven(found, text, 'nullable()'),
  'rule removed': (found) => callsGone(found, ['refine', 'superRefine']),
  'field renamed': (found, text) =>
    fieldsOf(found, text).flatMap(({ property, name, said }) => replace(property, `${name}_anew: ${said}`)),
  default({ node }) {
    if (calledName(node) !== 'default') return []
    const [value] = listOf(node.arguments)
    const [given, callee] = [literalOf(value), node.callee as Node]
    if (typeof given === 'boolean') return replace(value, String(!given))
    if (typeof given === 'number') return replace(value, String(given + 1))
    return [{ start: (callee.property as Node).start, end: node.end, to: 'optional()' }]
  },
  'enum value removed': (found, text) => choices(found, text, (all) => (all.length > 1 ? all.slice(0, -1) : null)),
  'enum value added': (found, text) => choices(found, text, (all) => [...all, "'anew'"]),
  'enum value renamed': (found, text) => choices(found, text, ([, ...rest]) => ["'renamed'", ...rest]),
}

/** Removes a call of one of these methods; the object of the call stays. */
function callsGone({ node }: Found, names: readonly string[]): Edit[] {
  if (!names.includes(calledName(node) ?? '')) return []
  const { object } = node.callee as { object?: Node }
  return object === undefined ? [] : [{ start: object.end, end: node.end, to: '' }]
}

function bound(node: Node, text: string, signs: Record<string, string>): Edit[] {
  const sign = signs[calledName(node) ?? '']
  const [value] = listOf(node.arguments)
  const isText = typeof literalOf(value) === 'string'
  if (sign === undefined || value === undefined || isText) return []
  const said = text.slice(value.start, value.end)
  // Integers are bounded in any case, so one more bound changes nothing.
  if (said === 'Number.MAX_SAFE_INTEGER' && sign === '+') return []
  return replace(value, `(${said}) ${sign} 1`)
}

/** A field with the text of its schema. */
type Field = { property: Node; name: string; said: string }

/** The fields that an object of the contract declares: of a zod object, or the parameters of a node method. */
function fieldsOf({ node, around }: Found, text: string): Field[] {
  const [first] = listOf(node.arguments)
  const isParams = keyOf(node) === 'params' && calledName(around[1] ?? node) === 'node'
  const shape =
    isZod(node, 'object') || isZod(node, 'strictObject') ? first : isParams ? (node.value as Node) : undefined
  return propertiesOf(shape).flatMap((property) => {
    const { start, end } = property.value as Node
    const name = keyOf(property)
    return name === null ? [] : [{ property, name, said: text.slice(start, end) }]
  })
}

/**
 * Adds a method call to the schema of each field that is never absent or null. A schema that is given by name may be
 * either.
 */
function alwaysGiven(found: Found, text: string, call: string): Edit[] {
  return fieldsOf(found, text).flatMap(({ property, name, said }) =>
    /^z\b/.test(said) && !/\.(optional|nullable|default)\(/.test(said)
      ? replace(property, `${name}: ${said}.${call}`)
      : [],
  )
}

/** A list of texts in `z.enum`, or in the constant that it names. */
function choices({ node, around }: Found, text: string, change: (all: string[]) => string[] | null): Edit[] {
  const inEnum = around[0] !== undefined && isZod(around[0], 'enum')
  const declared = around.find(({ type }) => type === 'VariableDeclarator')
  const name = nameOf(declared?.id as Node | undefined)
  const isConstant =
    around[0]?.type === 'TSAsExpression' && around[0] === declared?.init && text.includes(`z.enum(${name})`)
  const all = listOf(node.elements)
  if (node.type !== 'ArrayExpression' || !(inEnum || isConstant)) return []
  if (!all.every((one) => typeof literalOf(one) === 'string')) return []
  const changed = change(all.map((one) => text.slice(one.start, one.end)))
  return changed === null ? [] : replace(node, `[${changed.join(', ')}]`)
}
