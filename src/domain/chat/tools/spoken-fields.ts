import type { OperationId } from '../../../contract/index.ts'
import type { Fail } from '../../core/errors.ts'
import type { Ports } from '../../ports/index.ts'
import { chainOfInput, type SpokenField, type WordPorts, words } from './plain-words.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of an operation that accept plain words, by their path in dots. */
const spokenFields: { readonly [Id in OperationId]?: Readonly<Record<string, SpokenField>> } = {
  'trading.quote': {
    'input.chain_id': words.neededChainId,
    'input.token_in_address': words.token,
    'input.token_out_address': words.token,
  },
  'trading.assessRisk': {
    'input.chain_id': words.chainId,
    'input.chain': words.chainName,
    'input.addresses': words.tokens,
  },
  'tools.oraclePrice': { chain: words.neededChainName },
  'tools.walletBalance': { address: words.anyWallet, chain_id: words.chainId },
  'metrics.positions': { wallet_address: words.ownWallet, token_address: words.token },
}

/** The input with the contract's values in place of plain words. INVALID_ARGUMENT names the field. */
export async function inContractTerms(
  id: OperationId,
  input: Fields,
  ports: Pick<Ports, WordPorts>,
  userId: number,
  fail: Fail<'NOT_FOUND'>,
): Promise<Fields> {
  const fields = Object.entries(spokenFields[id] ?? {})
  const chainPaths = fields.flatMap(([path, { chain }]) => (chain === true ? [path] : []))
  const chainPath = chainPaths.find((path) => fieldAt(input, path.split('.')) !== undefined) ?? chainPaths[0] ?? ''
  const chain = chainOfInput(ports.chains, fieldAt(input, chainPath.split('.')), chainPath)
  let terms = input
  for (const [path, { read }] of fields) {
    const keys = path.split('.')
    const value = await read(fieldAt(input, keys), { ports, userId, chain, fail }, path)
    if (value !== undefined) terms = withField(terms, keys, value)
  }
  return terms
}

/** The JSON Schema of arguments that may be plain words: without references, and each such field as a described string. */
export function spokenSchema(id: OperationId, { $defs: definitions, ...schema }: Fields): Fields {
  return spokenPart(schema, '', {
    definitions: isFields(definitions) ? definitions : {},
    spoken: spokenFields[id] ?? {},
  })
}

type Context = { definitions: Fields; spoken: Readonly<Record<string, SpokenField>> }

function spokenPart(schema: Fields, path: string, context: Context): Fields {
  const { $ref: reference, properties, items, required } = schema
  if (typeof reference === 'string') {
    const definition = context.definitions[reference.replace('#/$defs/', '')]
    return isFields(definition) ? spokenPart(definition, path, context) : schema
  }
  if (isFields(items)) return { ...schema, items: spokenPart(items, path, context) }
  if (!isFields(properties)) return schema
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const fields = Object.entries(properties).map(([key, field]) => {
    const word = context.spoken[pathOf(key)]
    const plain = isFields(field) ? spokenPart(field, pathOf(key), context) : {}
    return [key, word === undefined ? plain : inWords(plain, word)] as const
  })
  const needed = Array.isArray(required) ? required.filter((key) => !context.spoken[pathOf(key)]?.optional) : []
  return { ...schema, properties: Object.fromEntries(fields), required: needed }
}

function inWords({ description }: Fields, { description: words, list }: SpokenField): Fields {
  const text = { description: `${String(description)}: ${words}` }
  return list === true ? { type: 'array', items: { type: 'string' }, ...text } : { type: 'string', ...text }
}

function fieldAt(fields: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (isFields(value) ? value[key] : undefined), fields)
}

function withField(fields: Fields, [key = '', ...deeper]: readonly string[], value: unknown): Fields {
  if (deeper.length === 0) return { ...fields, [key]: value }
  const inner = fields[key]
  // The contract refuses a value that is not an object.
  return isFields(inner) ? { ...fields, [key]: withField(inner, deeper, value) } : fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
