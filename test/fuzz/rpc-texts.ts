import fc from 'fast-check'
import { operations } from '../../src/contract/index.ts'

/** JSON texts that JSON.stringify would not produce, and some that it would. */
const scalar = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '0',
    '-0',
    '1.0',
    '1e400',
    '-1e400',
    '9007199254740993',
    '0.1e-400',
    '[]',
    '{}',
    '""',
  ),
  fc.constantFrom('"latest"', '"0x0"', `"0x${'f'.repeat(64)}"`, '"0x000000000000000000000000000000000000dEaD"'),
  fc.constantFrom('"\\ud800"', '"\\u0000"', '"\u2028"', '"__proto__"', `"${'x'.repeat(2_000)}"`),
  fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
)

const nested = fc
  .tuple(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(['[', ']'], ['{"a":', '}']), scalar)
  .map(([depth, [open = '', close = ''], inner]) => open.repeat(depth) + inner + close.repeat(depth))

const value = fc.oneof({ weight: 12, arbitrary: scalar }, { weight: 1, arbitrary: nested })
const list = (items: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(items, { maxLength }).map((parts) => `[${parts.join(',')}]`)

/** Every method, and unknown names; methods that can stop the chain are for the operator. */
const methods = operations().flatMap(([, { rpc }]) => (rpc === undefined ? [] : [rpc.method, ...(rpc.aliases ?? [])]))
const method = fc.oneof(
  fc.constantFrom(...methods, 'eth_unsubscribe', 'rpc.discover').map((name) => JSON.stringify(name)),
  fc.constantFrom('"toString"', '"__proto__"', '"eth_"', '"ETH_CHAINID"', '" eth_chainId"'),
  value,
)

const member = (name: string, usual: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: value }).map((text) => `"${name}":${text}`)
const id = fc.oneof(
  fc.integer().map(String),
  fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
  value,
)
const members = [
  member('jsonrpc', fc.constant('"2.0"')),
  member('method', method),
  member('params', fc.oneof(list(value, 4), value)),
  member('id', id),
]
const odd = fc.oneof(...members, fc.constantFrom('"__proto__":{"id":1}', '"constructor":0', '"":""'))

/** One message, mostly with its four members; some occur twice, are missing, in another order or of another type. */
const message = fc
  .tuple(
    fc.tuple(...members),
    fc.subarray([0, 1, 2, 3], { minLength: 3 }),
    fc.array(odd, { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([all, kept, more, first]) => {
    const parts = kept.map((index) => all[index] ?? '')
    return `{${(first ? [...more, ...parts] : [...parts, ...more]).join(',')}}`
  })

const batch = fc.oneof(
  { weight: 8, arbitrary: list(fc.oneof({ weight: 5, arbitrary: message }, { weight: 1, arbitrary: value }), 8) },
  { weight: 1, arbitrary: fc.integer({ min: 90, max: 110 }).map((length) => `[${Array(length).fill('7').join(',')}]`) },
)

/** A text that was cut off, or has a wrong byte. */
const broken = fc
  .tuple(fc.oneof(message, batch), fc.nat(), fc.constantFrom('', '\0', '\ufeff', '}', ',', '"', '\ud800', '/* */'))
  .map(([text, at, more]) => {
    const place = at % (text.length + 1)
    return more === '' ? text.slice(0, place) : text.slice(0, place) + more + text.slice(place)
  })

/** Bodies and frames, as bytes: messages, batches, broken ones, and bytes that are no text. */
export const rpcTexts: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: message.map((text) => Buffer.from(text)) },
  { weight: 3, arbitrary: batch.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: broken.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
)
