import type { z } from 'zod'
import { operations } from '../../src/contract/index.ts'

/** Input fields that name something of one account, recognised by their name. */
const ownedFields = [
  'execution_id',
  'session_id',
  'stream_id',
  'subscription_id',
  'quote_id',
  'wallet_ref',
  'idempotency_key',
  'cursor',
  'after_id',
  'last_event_id',
  'wallet_address',
] as const

export type OwnedField = (typeof ownedFields)[number]

/** Fields that look like names of owned things and are not: everybody may request them. */
const everybodys: readonly string[] = [
  'chain_id',
  'id', // of a chain or a wallet, for the operator
  'client_id', // of OAuth, ignored
  'confirmation_id', // the caller chooses it; each account has its own
  'analytics_query_id',
  'address',
  'token_address',
  'token_in_address',
  'token_out_address',
  'addresses',
  'chainId',
  'filterId', // of the node; anyone with the id may use it
]

/** The path of a field in an operation's input. */
export type Place = { path: readonly string[]; field: OwnedField }

/** The paths of an input that name something of one account. */
export function ownedPlaces(input: z.core.$ZodType): Place[] {
  return fieldsOf(input, []).flatMap((path) => {
    const field = ownedFields.find((name) => name === path.at(-1))
    return field === undefined ? [] : [{ path, field }]
  })
}

/** Fields that may name something of one account and are not classified yet. */
export function unclassifiedFields(): string[] {
  const known = new Set<string>([...ownedFields, ...everybodys])
  return operations().flatMap(([id, { input }]) =>
    fieldsOf(input, [])
      .filter((path) => /(^|_)(id|ids|ref|key|cursor|address|addresses)$|[a-z](Id|Key)$/.test(path.at(-1) ?? ''))
      .filter((path) => !known.has(path.at(-1) ?? ''))
      .map((path) => `${id} ${path.join('.')}`),
  )
}

function fieldsOf(schema: z.core.$ZodType, path: readonly string[]): (readonly string[])[] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  if (def.type === 'object') return Object.entries(def.shape).flatMap(([name, part]) => fieldsOf(part, [...path, name]))
  if (def.type === 'array') return fieldsOf(def.element, path)
  if (def.type === 'union') return def.options.flatMap((option) => fieldsOf(option, path))
  return 'innerType' in def ? fieldsOf(def.innerType, path) : [path]
}
