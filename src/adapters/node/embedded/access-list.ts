import { DomainError } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import type { Call, Workaround } from './workaround.ts'

type Entry = { address: string; storageKeys: string[] }
type Run = { touched: Record<string, string[]>; gasUsed: number; failed: boolean }

/** A run with its own list may touch other slots; as in other nodes it is repeated until the list stays. */
const mostRuns = 5

/**
 * Anvil only lists what a call that succeeds has touched. Of one that fails the list is read from a trace, and the
 * result has it with the gas and the error.
 */
export const accessList: Workaround = async (call, params, method) => {
  try {
    return await call(method, params)
  } catch (thrown) {
    const error = failureOf(thrown)
    const traced = error === null ? null : await tracedList(call, params)
    if (traced === null) throw thrown
    return { ...traced, error }
  }
}

/** Why the call failed while it ran; null where it was refused before. */
function failureOf(thrown: unknown): string | null {
  if (!(thrown instanceof DomainError)) return null
  if (thrown.code === 'EXECUTION_REVERTED') return 'execution reverted'
  const isRefused = /^(insufficient funds|intrinsic gas)/.test(thrown.message)
  return thrown.code === 'FAILED_PRECONDITION' && !isRefused ? thrown.message : null
}

async function tracedList(call: Call, [given, block]: readonly unknown[]) {
  const transaction = given as NodeObject
  let list = (transaction.accessList ?? []) as Entry[]
  for (let runs = 0; runs < mostRuns; runs += 1) {
    const trace = [{ ...transaction, accessList: list }, block ?? 'latest', { tracer: collector }]
    const { touched, gasUsed, failed } = (await call('debug_traceCall', trace)) as Run
    if (!failed) return null
    const found = listOf(touched, transaction)
    if (sizeOf(found) === sizeOf(list)) return { accessList: found, gasUsed: `0x${gasUsed.toString(16)}` }
    list = found
  }
  return null
}

function sizeOf(list: readonly Entry[]): number {
  return list.reduce((count, { storageKeys }) => count + 1 + storageKeys.length, 0)
}

/** The accounts that every transaction has loaded before it runs need no entry, but for their slots. */
function listOf(touched: Run['touched'], { from, to }: NodeObject): Entry[] {
  const isLoaded = (address: string) => address === from || address === to || /^0x0{37}[01][0-9a-f]{2}$/.test(address)
  return Object.entries(touched)
    .filter(([address, keys]) => keys.length > 0 || !isLoaded(address))
    .map(([address, storageKeys]) => ({ address, storageKeys }))
}

/** Collects in the engine the slots that a run reads or writes, and the accounts that it loads. */
const collector = `{ touched: {},
  at: function (name) {
    if (!this.touched[name]) this.touched[name] = [];
    return this.touched[name];
  },
  word: function (value) {
    var digits = value.toString(16);
    while (digits.length < 64) digits = '0' + digits;
    return '0x' + digits;
  },
  account: function (value) { return '0x' + this.word(value).slice(26); },
  step: function (log) {
    var op = log.op.toNumber();
    if (op === 0x54 || op === 0x55) {
      var keys = this.at(toHex(log.contract.getAddress())), key = this.word(log.stack.peek(0));
      if (keys.indexOf(key) === -1) keys.push(key);
    } else if (op === 0x31 || op === 0x3b || op === 0x3c || op === 0x3f || op === 0xff) {
      this.at(this.account(log.stack.peek(0)));
    } else if (op === 0xf1 || op === 0xf2 || op === 0xf4 || op === 0xfa) {
      this.at(this.account(log.stack.peek(1)));
    }
  },
  fault: function () {},
  result: function (run) { return { touched: this.touched, gasUsed: run.gasUsed, failed: run.error !== undefined } } }`
