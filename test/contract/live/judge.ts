import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../../../src/contract/index.ts'
import { password } from '../../accounts.ts'
import { seeded } from '../../seeded.ts'
import { answerChecks } from './answers.ts'
import { type Check, Mismatch, NotJudged } from './check.ts'
import { newPassword } from './inputs.ts'
import { rpcChecks } from './json-rpc.ts'
import type { Options } from './options.ts'
import { agreementChecks } from './readings.ts'
import { refusalChecks } from './refusals.ts'
import type { Result } from './report.ts'
import { clientsOf, columnOf, type MadeAccount, movingMoney, type Setup, setUp } from './setup.ts'
import { socketChecks, streamChecks } from './streams.ts'

const budgetMs = 300_000
/** What the last cases, which end the accounts, have besides. */
const endingsMs = 30_000

/**
 * Judges a living gateway by its contract: the answers first, then what it refuses, and last what ends the accounts. `say`
 * gets lines about the progress.
 */
export async function judge(options: Options, say: (line: string) => void): Promise<Result[]> {
  const until = options.all ? Number.POSITIVE_INFINITY : Date.now() + budgetMs
  const made: MadeAccount[] = []
  const clients = clientsOf(options, until + endingsMs)
  const node = clients.findLast(({ protocol }) => protocol !== 'rest')
  let setup: Setup | null = null
  try {
    setup = await setUp(options, clients, made, until + endingsMs, say)
    const { isSandbox } = setup
    const checks = [
      ...answerChecks(setup),
      ...streamChecks(setup),
      ...agreementChecks(setup),
      ...refusalChecks(setup),
      ...(options.rpc === null ? [] : [...socketChecks(options.rpc), ...rpcChecks(options.rpc)]),
    ]
      .filter(({ id }) => options.only.length === 0 || options.only.includes(id))
      .map((check) => withinReach(check, isSandbox, options))
    say(`${checks.length} cases; --seed ${options.seed} draws their order again.`)
    const parts = Map.groupBy(checks, ({ isLast, rule }) =>
      isLast ? 'endings' : rule === 'answers' || rule === 'agrees' ? 'answers' : 'others',
    )
    const results: Result[] = []
    results.push(...(await inLanes(parts.get('answers') ?? [], until, say)))
    results.push(...(await inLanes(drawn(parts.get('others') ?? [], options.seed), until, say)))
    results.push(...(await inLanes(parts.get('endings') ?? [], until + endingsMs, say)))
    return results
  } finally {
    const filters = setup?.callers.flatMap(({ filters }) => Object.values(filters ?? {})) ?? []
    for (const filterId of filters) await node?.call('chain.uninstallFilter', { filterId }).catch(() => null)
    const latest = Date.now() + options.deletingMs
    if (made.length > 0) say('Deleting the accounts, as soon as their trades are final.')
    await Promise.all(made.map((account) => deleteAccount(account, latest, say)))
    for (const client of clients) client.close()
  }
}

const authOf = new Map(operations().map(([id, { auth }]): [string, string] => [id, auth]))

/** The check, with the reason why it cannot be judged where there is one. Strangers are asked everything. */
function withinReach(check: Check, isSandbox: boolean, { money, operatorToken }: Options): Check {
  if (check.rule.startsWith('refuses: ') && check.lane.endsWith('strangers')) return check
  if (authOf.get(check.id) === 'operator' && operatorToken === null)
    return { ...check, leftOut: 'it needs --operator-token' }
  if (movingMoney.has(check.id) && !isSandbox && !money) return { ...check, leftOut: 'it moves money: --money runs it' }
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
  const asking = new Set<Check>()
  const progress = setInterval(() => {
    const [one] = asking
    const at = one === undefined ? '' : `, at ${one.id} over ${one.door}: ${one.name} (a rate may make it wait)`
    say(`${results.length} of ${checks.length} cases${at}`)
  }, 15_000)
  const lanes = [...Map.groupBy(checks, ({ lane }) => lane).values()]
  const run = async (lane: readonly Check[]) => {
    for (const check of lane) {
      asking.add(check)
      results.push(await resultOf(check, until))
      asking.delete(check)
    }
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
  if (check.leftOut !== undefined) return result('not judged', check.leftOut)
  if (begun > until) return result('not judged', 'the five minutes were over: --all runs every case')
  try {
    await check.judge()
    return result('passed')
  } catch (error) {
    if (error instanceof NotJudged) return result('not judged', error.message)
    return result('failed', error instanceof Mismatch ? error.message : String(error))
  }
}

/** Deletes an account where no case has, once its trades are final. Says so where it stays. */
async function deleteAccount(
  { client, email }: MadeAccount,
  until: number,
  say: (line: string) => void,
): Promise<void> {
  for (const word of [password, newPassword]) {
    const login = await client.call('auth.login', { username: email, password: word }).catch(() => null)
    if (login?.ok !== true) continue
    const { access_token: token } = login.output as { access_token: string }
    for (;;) {
      const deleting = client.call('auth.deleteAccount', { password: word, keys_exported: true }, token)
      const why = await deleting.then(
        (outcome) => (outcome.ok ? null : outcome),
        (error) => ({ code: '', message: String(error) }),
      )
      if (why === null) return
      if (why.code !== 'FAILED_PRECONDITION' || Date.now() > until)
        return say(`The account ${email} stays: ${why.message}`)
      await sleep(2_000)
    }
  }
}
