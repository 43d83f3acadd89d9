import {
  calledName,
  type Edit,
  type Found,
  isZod,
  keyOf,
  listOf,
  literalOf,
  type Node,
  nameOf,
  propertiesOf,
  replace,
  without,
} from './syntax.ts'

/** For each `auth` level the one for which it is most easily mistaken. */
const otherAuth: Record<string, string[]> = {
  none: ['session'],
  user: ['none', 'any'],
  session: ['none', 'user'],
  any: ['none', 'session'],
  operator: ['none', 'session'],
}
const otherMethod: Record<string, string> = { GET: 'DELETE', POST: 'PATCH', PATCH: 'POST', DELETE: 'POST' }

/** The edits of a mutation for a node of the contract's source. */
type Rule = (found: Found, text: string) => Edit[]

/** Mutations of a field: by kind, the edits for a node of the contract's source. */
export const fieldMutations: Record<string, Rule> = {
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
    eachField(found, text, (name, said) =>
      said.includes('.optional()') ? `${name}: ${said.replace('.optional()', '')}` : null,
    ),
  'nullable removed': (found) => callsGone(found, ['nullable']),
  'nullable added': (found, text) => alwaysGiven(found, text, 'nullable()'),
  'rule removed': (found) => callsGone(found, ['refine', 'superRefine']),
  'field renamed': (found, text) => eachField(found, text, (name, said) => `${name}_anew: ${said}`),
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

/** Mutations of an operation's route and responses: by kind, the edits for a node of the contract's source. */
export const operationMutations: Record<string, Rule> = {
  'unary or stream': (found) =>
    otherValue(found, 'kind', (kind) => (kind === 'unary' ? "'stream'" : kind === 'stream' ? "'unary'" : null)),
  'auth level': ({ node }) => {
    const value = keyedValue(node, 'auth')
    return (otherAuth[String(literalOf(value))] ?? []).flatMap((other) => replace(value, `'${other}'`))
  },
  'error removed': (found, text) => codes(found, text, (all) => (all.length > 0 ? all.slice(0, -1) : null)),
  'error added': (found, text) =>
    codes(found, text, (all) => (all.includes("'ALREADY_EXISTS'") ? null : [...all, "'ALREADY_EXISTS'"])),
  'REST path': (found) => binding(found, 'path', (path) => `'${path}/anew'`),
  'REST method': (found) => binding(found, 'method', (method) => `'${otherMethod[method]}'`),
  'REST binding gone': ({ node }, text) => (keyOf(node) === 'http' ? [without(node, text)] : []),
  'JSON-RPC name': ({ node }) => {
    const [name] = calledName(node) === 'node' ? listOf(node.arguments) : []
    return typeof literalOf(name) === 'string' ? replace(name, `'${literalOf(name)}Anew'`) : []
  },
  'JSON-RPC order': ({ node }, text) => {
    const [first, second] = keyOf(node) === 'params' ? propertiesOf(node.value as Node) : []
    if (first === undefined || second === undefined) return []
    const said = [second, first].map(({ start, end }) => text.slice(start, end))
    return [{ start: first.start, end: second.end, to: said.join(', ') }]
  },
  'operation gone': ({ node }, text) => (isOperation(node) ? [without(node, text)] : []),
  'operation renamed': ({ node }) => (isOperation(node) ? replace(node.key as Node, `${keyOf(node)}Anew`) : []),
  'rate class': (found) => otherValue(found, 'rate', (rate) => (rate === 'default' ? "'chat'" : "'default'")),
  behaviour: ({ node }, text) =>
    ['secret', 'onDisconnect', 'changes'].includes(keyOf(node) ?? '') && literalOf(node.value as Node) !== undefined
      ? [without(node, text)]
      : [],
}

/** Changes of the tables that all operations share, in `errors.ts` and `limits.ts`. */
export const tableMutations: Record<string, Rule> = {
  'status of an error': ({ node }) => {
    const value = node.value as Node | undefined
    const given = literalOf(value)
    if (!['http', 'grpc', 'jsonRpc', 'trpc', 'retry'].includes(keyOf(node) ?? '') || given === undefined) return []
    if (typeof given === 'number') return replace(value, String(given + 1))
    if (typeof given === 'boolean') return replace(value, String(!given))
    return replace(value, given === 'CONFLICT' ? "'BAD_REQUEST'" : "'CONFLICT'")
  },
  'limit raised': (found) => limit(found, 1),
  'limit lowered': (found) => limit(found, -1),
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

/**
 * Replaces each field that an object of the contract declares, a zod object or the parameters of a node method, by what
 * `change` makes of its name and the text of its schema.
 */
function eachField(
  { node, around }: Found,
  text: string,
  change: (name: string, said: string) => string | null,
): Edit[] {
  const [first] = listOf(node.arguments)
  const isParams = keyOf(node) === 'params' && calledName(around[1] ?? node) === 'node'
  const shape =
    isZod(node, 'object') || isZod(node, 'strictObject') ? first : isParams ? (node.value as Node) : undefined
  return propertiesOf(shape).flatMap((property) => {
    const { start, end } = property.value as Node
    const name = keyOf(property)
    const to = name === null ? null : change(name, text.slice(start, end))
    return to === null ? [] : replace(property, to)
  })
}

/**
 * Adds a method call to the schema of each field that is never absent or null. A schema that is given by name may be
 * either.
 */
function alwaysGiven(found: Found, text: string, call: string): Edit[] {
  return eachField(found, text, (name, said) =>
    /^z\b/.test(said) && !/\.(optional|nullable|default)\(/.test(said) ? `${name}: ${said}.${call}` : null,
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
  return changedList(node, text, change)
}

function isOperation(node: Node): boolean {
  return keyOf(node) !== null && ['operation', 'node'].includes(calledName(node.value as Node) ?? '')
}

function keyedValue(node: Node, key: string): Node | undefined {
  return keyOf(node) === key ? (node.value as Node) : undefined
}

function otherValue({ node }: Found, key: string, other: (value: unknown) => string | null): Edit[] {
  const value = keyedValue(node, key)
  const to = literalOf(value) === undefined ? null : other(literalOf(value))
  return to === null ? [] : replace(value, to)
}

function binding({ node, around }: Found, key: string, other: (value: string) => string): Edit[] {
  const value = around[1] !== undefined && keyOf(around[1]) === 'http' ? keyedValue(node, key) : undefined
  return typeof literalOf(value) === 'string' ? replace(value, other(String(literalOf(value)))) : []
}

function codes({ node }: Found, text: string, change: (all: string[]) => string[] | null): Edit[] {
  const value = keyedValue(node, 'errors')
  return value?.type === 'ArrayExpression' ? changedList(value, text, change) : []
}

function limit({ node, around }: Found, by: number): Edit[] {
  const table = nameOf(around.find(({ type }) => type === 'VariableDeclarator')?.id as Node | undefined)
  const given = literalOf(node)
  if (typeof given !== 'number' || !['bounds', 'rateRules', 'tiers'].includes(table ?? '')) return []
  return replace(node, String(given + by))
}

/** Replaces the texts of a list by others; none where there are no others. */
function changedList(node: Node, text: string, change: (all: string[]) => string[] | null): Edit[] {
  const changed = change(listOf(node.elements).map(({ start, end }) => text.slice(start, end)))
  return changed === null ? [] : replace(node, `[${changed.join(', ')}]`)
}
