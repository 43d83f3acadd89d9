import type { OperationId } from '../../../contract/index.ts'
import type { Ports } from '../../ports/index.ts'
import { chainSaid, type SpokenField, type WordPorts, words } from './plain-words.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of an operation that take plain words, by their path in dots. */
const spokenFields: { readonly [Id in OperationId]?: Readonly<Record<string, SpokenField>> } = {
  'trading.quote': {
    'input.chain_id': words.neededChainId,
    'input.token_in_address': words.token,
    'input.token_out_address': words.token,
  },
  'trading.assessRisk': { quote: words.quote, 'input.chain_id': words.chainId, 'input.addresses': words.tokens },
  'tools.oraclePrice': { chain: words.neededChainName, pair: words.pair },
  'tools.walletBalance': { address: words.anyWallet, chain_id: words.chainId },
  'metrics.positions': { wallet_address: words.ownWallet, token_address: words.token },
}

/** Arguments as they are said, with what the contract wants in place of plain words; INVALID_ARGUMENT names the field. */
export async function inContractTerms(
  id: OperationId,
  said: Fields,
  ports: Pick<Ports, WordPorts>,
  userId: number,
): Promise<Fields> {
  const fields = Object.entries(spokenFields[id] ?? {})
  const chainPath = fields.find(([, { chain }]) => chain === true)?.[0] ?? ''
  const chain = chainSaid(ports.chains, fieldAt(said, chainPath.split('.')), chainPath)
  let terms = said
  for (const [path, { read }] of fields) {
    const keys = path.split('.')
    const value = await read(fieldAt(said, keys), { ports, userId, chain }, path)
    if (value !== undefined) terms = withField(terms, keys, value)
  }
  return terms
}

/** A JSON Schema of arguments as they may be said: without references, and each field of words as a text that tells so. */
export function spokenSchema(id: OperationId, { $defs: definitions, ...schema }: Fields): Fields {
  return said(schema, '', { definitions: isFields(definitions) ? definitions : {}, spoken: spokenFields[id] ?? {} })
}

type Spelling = { definitions: Fields; spoken: Readonly<Record<string, SpokenField>> }

function said(schema: Fields, path: string, spelling: Spelling): Fields {
  const { $ref: reference, properties, items, required } = schema
  if (typeof reference === 'string') {
    const definition = spelling.definitions[reference.replace('#/$defs/', '')]
    return isFields(definition) ? said(definition, path, spelling) : schema
  }
  if (isFields(items)) return { ...schema, items: said(items, path, spelling) }
  if (!isFields(properties)) return schema
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const fields = Object.entries(properties).map(([key, field]) => {
    const word = spelling.spoken[pathOf(key)]
    const spelt = isFields(field) ? said(field, pathOf(key), spelling) : {}
    return [key, word === undefined ? spelt : inWords(spelt, word)] as const
  })
  const needed = Array.isArray(required) ? required.filter((key) => !spelling.spoken[pathOf(key)]?.mayLack) : []
  return { ...schema, properties: Object.fromEntries(fields), required: needed }
}

function inWords({ description }: Fields, { says, list }: SpokenField): Fields {
  const text = { description: `${String(description)}: ${says}` }
  return list === true ? { type: 'array', items: { type: 'string' }, ...text } : { type: 'string', ...text }
}

function fieldAt(fields: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (isFields(value) ? value[key] : undefined), fields)
}

function withField(fields: Fields, [key = '', ...deeper]: readonly string[], value: unknown): Fields {
  if (deeper.length === 0) return { ...fields, [key]: value }
  const inner = fields[key]
  // What is no object is left for the contract to refuse.
  return isFields(inner) ? { ...fields, [key]: withField(inner, deeper, value) } : fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
