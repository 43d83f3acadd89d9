import { operations } from '../../../src/contract/index.ts'
import { password } from '../../accounts.ts'
import { seeded } from '../../seeded.ts'
import { type Cast, castOf, columnOf, movingMoney } from './actors.ts'
import { agreementChecks, answerChecks, newPassword } from './answers.ts'
import { type Check, Mismatch, NotJudged } from './check.ts'
import { rpcChecks } from './json-rpc.ts'
import type { Options } from './options.ts'
import { refusalChecks } from './refusals.ts'
import type { Result } from './report.ts'
import { socketChecks, streamChecks } from './streams.ts'

const budgetMs = 300_000
/** What the last cases, which end the accounts, have besides. */
const farewellMs = 30_000

/**
 * Judges a living gateway by its contract: the answers first, then what it refuses, and last what ends the accounts. `say`
 * gets lines about the progress.
 */
export async function judge(options: Options, say: (line: string) => void): Promise<Result[]> {
  const until = options.all ? Number.POSITIVE_INFINITY : Date.now() + budgetMs
  const cast = await castOf(options, until + farewellMs, say)
  try {
    const checks = [
      ...answerChecks(cast),
      ...streamChecks(cast),
      ...agreementChecks(cast),
      ...refusalChecks(cast),
      ...(options.rpc === null ? [] : [...socketChecks(options.rpc), ...rpcChecks(options.rpc)]),
    ]
      .filter(({ id }) => options.only.length === 0 || options.only.includes(id))
      .map((check) => withinReach(check, cast, options))
    say(`${checks.length} cases; --seed ${options.seed} draws their order again.`)
    const parts = Map.groupBy(checks, ({ isLast, rule }) =>
      isLast ? 'farewells' : rule === 'answers' || rule === 'agrees' ? 'answers' : 'others',
    )
    const results: Result[] = []
    results.push(...(await inLanes(parts.get('answers') ?? [], until, say)))
    results.push(...(await inLanes(drawn(parts.get('others') ?? [], options.seed), until, say)))
    results.push(...(await inLanes(parts.get('farewells') ?? [], until + farewellMs, say)))
    return results
  } finally {
    await leave(cast)
  }
}

const authOf = new Map(operations().map(([id, { auth }]): [string, string] => [id, auth]))

/** The check, with the reason why it cannot be judged where there is one. Strangers are asked everything. */
function withinReach(check: Check, { isSandbox }: Cast, { money, operatorToken }: Options): Check {
  if (check.rule.startsWith('refuses: ') && check.lane.endsWith('strangers')) return check
  if (authOf.get(check.id) === 'operator' && operatorToken === null)
    return { ...check, notJudged: 'it needs --operator-token' }
  if (movingMoney.has(check.id) && !isSandbox && !money)
    return { ...check, notJudged: 'it moves money: --money runs it' }
  return check
}

/** In an order that the seed draws, with one case of each rule of each operation over each protocol first. */
function drawn(checks: readonly Check[], seed: string): Check[] {
  const random = seeded(numberOf(seed))
  const shuffled = checks
    .map((check) => ({ check, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ check }) => check)
  const seen = new Set<string>()
  const isFirst = ({ id, door, rule }: Check) => {
    const key = `${id} ${columnOf(door)} ${rule}`
    return !seen.has(key) && seen.add(key) !== undefined
  }
  const parts = Map.groupBy(shuffled, (check) => (isFirst(check) ? 'first' : 'more'))
  return [...(parts.get('first') ?? []), ...(parts.get('more') ?? [])]
}

function numberOf(seed: string): number {
  return Buffer.from(seed).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 7)
}

/** Runs the lanes beside each other, and the cases of each one after the other. */
async function inLanes(checks: readonly Check[], until: number, say: (line: string) => void): Promise<Result[]> {
  const results: Result[] = []
  const progress = setInterval(() => say(`${results.length} of ${checks.length} cases`), 15_000)
  const lanes = [...Map.groupBy(checks, ({ lane }) => lane).values()]
  const run = async (lane: readonly Check[]) => {
    for (const check of lane) results.push(await resultOf(check, until))
  }
  await Promise.all(lanes.map(run)).finally(() => clearInterval(progress))
  return results
}

async function resultOf(check: Check, until: number): Promise<Result> {
  const begun = Date.now()
  const result = (verdict: Result['verdict'], why = ''): Result => ({
    check,
    verdict,
    why,
    seconds: (Date.now() - begun) / 1_000,
  })
  if (check.notJudged !== undefined) return result('not judged', check.notJudged)
  if (begun > until) return result('not judged', 'the five minutes were over: --all runs every case')
  try {
    await check.judge()
    return result('passed')
  } catch (error) {
    if (error instanceof NotJudged) return result('not judged', error.message)
    return result('failed', error instanceof Mismatch ? error.message : String(error))
  }
}

/** Deletes the accounts, where no case has, ends the filters, and closes the clients. */
async function leave({ actors }: Cast): Promise<void> {
  const node = actors.at(-1)?.client
  for (const { client, account, filters } of actors) {
    for (const filterId of Object.values(filters ?? {}))
      await node?.call('chain.uninstallFilter', { filterId }).catch(() => null)
    for (const word of [password, newPassword]) {
      const login = await client.call('auth.login', { username: account.email, password: word }).catch(() => null)
      if (login?.ok !== true) continue
      const { access_token: token } = login.output as { access_token: string }
      await client.call('auth.deleteAccount', { password: word, keys_exported: true }, token).catch(() => null)
      break
    }
  }
  for (const { client } of actors) client.close()
}
