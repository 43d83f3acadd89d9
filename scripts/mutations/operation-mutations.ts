import { type Edit, replace, without } from './edit.ts'
import { calledName, type Found, keyOf, listOf, literalOf, type Node, nameOf, propertiesOf } from './syntax.ts'

/** For each `auth` level the one for which it is most easily mistaken. */
const otherAuth: Record<string, string[]> = {
  none: ['session'],
  user: ['none', 'any'],
  session: ['none', 'user'],
  any: ['none', 'session'],
  operator: ['none', 'session'],
}
const otherMethod: Record<string, string> = { GET: 'DELETE', POST: 'PATCH', PATCH: 'POST', DELETE: 'POST' }

/** Mutations of an operation's route and responses: by kind, the edits for a node of the contract's source. */
export const operationMutations: Record<string, (found: Found, text: string) => Edit[]> = {
  'unary or stream': (found) =>
    otherValue(found, 'kind', (kind) => (kind === 'unary' ? "'stream'" : kind === 'stream' ? "'unary'" : null)),
  'auth level': ({ node }) => {
    const value = keyOf(node) === 'auth' ? (node.value as Node) : undefined
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
export const tableMutations: Record<string, (found: Found, text: string) => Edit[]> = {
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

function isOperation(node: Node): boolean {
  return keyOf(node) !== null && ['operation', 'node'].includes(calledName(node.value as Node) ?? '')
}

function otherValue({ node }: Found, key: string, other: (value: unknown) => string | null): Edit[] {
  const value = keyOf(node) === key ? (node.value as Node) : undefined
  const to = literalOf(value) === undefined ? null : other(literalOf(value))
  return to === null ? [] : replace(value, to)
}

function binding({ node, around }: Found, key: string, other: (value: string) => string): Edit[] {
  const inHttp = around[1] !== undefined && keyOf(around[1]) === 'http'
  const value = inHttp && keyOf(node) === key ? (node.value as Node) : undefined
  return typeof literalOf(value) === 'string' ? replace(value, other(String(literalOf(value)))) : []
}

function codes({ node }: Found, text: string, change: (all: string[]) => string[] | null): Edit[] {
  const value = keyOf(node) === 'errors' ? (node.value as Node) : undefined
  const changed =
    value?.type === 'ArrayExpression'
      ? change(listOf(value.elements).map((one) => text.slice(one.start, one.end)))
      : null
  return changed === null ? [] : replace(value, `[${changed.join(', ')}]`)
}

function limit({ node, around }: Found, by: number): Edit[] {
  const table = nameOf(around.find(({ type }) => type === 'VariableDeclarator')?.id as Node | undefined)
  const given = literalOf(node)
  if (typeof given !== 'number' || !['bounds', 'rateRules', 'tiers'].includes(table ?? '')) return []
  return replace(node, String(given + by))
}
