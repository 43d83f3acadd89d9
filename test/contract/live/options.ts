import { parseArgs } from 'node:util'
import { operations } from '../../../src/contract/index.ts'
import { nearestName } from '../../../src/contract/shared/nearest-name.ts'

/** What `--only` calls the forms and codes of JSON-RPC, whatever the method. */
export const rpcMessages = 'JSON-RPC'

/** What to judge, and how far. */
export type Options = {
  /** Address of REST and of tRPC beside it, such as `http://127.0.0.1:3000`; null: they are not judged. */
  rest: string | null
  /** `host:port` of gRPC. */
  grpc: string | null
  /** Address of JSON-RPC. */
  rpc: string | null
  /** Draws the cases; the same seed draws the same. */
  seed: string
  /** Run every case, as long as it takes. */
  all: boolean
  /** Run what moves money on a gateway that is no sandbox. */
  money: boolean
  operatorToken: string | null
  /** Judge these operations alone. */
  only: readonly string[]
  /** Where to write JUnit. */
  junit: string | null
  /** How long to wait until an account may be deleted: its trades have to be final. */
  deletingMs: number
}

export const usage = `npm run test:contract -- --rest URL --grpc HOST:PORT --rpc URL [options]
  --rest URL              REST, and tRPC at /trpc of it
  --grpc HOST:PORT        gRPC, without TLS
  --rpc URL               the JSON-RPC of the node
  --only OPERATION        judge this operation alone, or JSON-RPC; may be given more than once
  --seed TEXT             draw the same cases again
  --all                   run every case, as long as it takes, instead of five minutes
  --money                 trade and claim, also where system.info does not say sandbox
  --operator-token TEXT   judge what an operator may do
  --junit FILE            write the result as JUnit`

/** Reads the arguments. Throws with a sentence where they are not understood. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rest: { type: 'string' },
      grpc: { type: 'string' },
      rpc: { type: 'string' },
      seed: { type: 'string' },
      all: { type: 'boolean', default: false },
      money: { type: 'boolean', default: false },
      'operator-token': { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      junit: { type: 'string' },
    },
  })
  const addressOf = (name: 'rest' | 'rpc') => {
    const text = values[name]
    if (text === undefined) return null
    if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
      throw new Error(`--${name} must be an address such as http://127.0.0.1:3000.`)
    return text.replace(/(\/api\/v1)?\/*$/, '')
  }
  const grpc = values.grpc?.replace(/^https?:\/\//, '').replace(/\/+$/, '') ?? null
  if (grpc !== null && !/^\S+:\d+$/.test(grpc)) throw new Error('--grpc must be host:port.')
  const known: string[] = [...operations().map(([id]) => id), rpcMessages]
  const unknown = values.only.find((id) => !known.includes(id))
  if (unknown !== undefined) {
    const meant = nearestName(unknown, known)
    const advice = meant === null ? 'openapi/openapi.json has the operations' : `did you mean ${meant}?`
    throw new Error(`--only ${unknown} is no operation: ${advice}`)
  }
  const [rest, rpc] = [addressOf('rest'), addressOf('rpc')]
  if (rest === null && grpc === null) throw new Error('Say where REST or gRPC is: an account is made there.')
  return {
    rest,
    grpc,
    rpc,
    seed: values.seed ?? crypto.randomUUID().slice(0, 8),
    all: values.all,
    money: values.money,
    operatorToken: values['operator-token'] ?? null,
    only: values.only,
    junit: values.junit ?? null,
    deletingMs: 120_000,
  }
}
