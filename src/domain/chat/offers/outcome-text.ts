import type { contract } from '../../../contract/index.ts'
import type { OutputOf } from '../../../contract/shared/operation.ts'
import type { DomainError } from '../../core/errors.ts'

type Answer = OutputOf<typeof contract.trading.execute>
type Execution = OutputOf<typeof contract.trading.getExecution>

/** The response to a confirmed trade, its execution (null where nothing was sent), and the symbols of its amounts. */
export type Outcome = {
  answer: Answer
  execution: Execution | null
  symbols: { sold: string; received: string; gas: string }
}

/** The outcome of a trade, from its records alone, and the next step. */
export function outcomeText({ answer, execution, symbols }: Outcome): string {
  const again = answer.replayed === true ? 'This quote was confirmed before, and is traded once.' : null
  if (execution === null) {
    return lines(`Status ${answer.status}. ${answer.message}`, 'Nothing was sent. Next: ask for another quote.')
  }
  const { status, message, execution_id: id, tx_hash: hash, explorer_url: url } = execution
  return lines(
    again,
    `Status ${status}. ${message}`,
    hash === undefined ? null : `Transaction ${hash}, see ${url}`,
    fillText(execution, symbols),
    `Execution ${id}. ${nextSteps[status]}`,
  )
}

const nextSteps: Readonly<Record<Execution['status'], string>> = {
  success: 'Next: ask for your positions, or for this execution to see whether its block is final.',
  pending:
    'Next: ask for this execution in a moment. Sending the same sentence again shows its status and trades nothing twice.',
  failed: 'Next: look at the transaction, then ask for another quote.',
  simulated: 'Nothing was sent.',
  rejected: 'Nothing was sent.',
}

const finalityTexts = {
  unsafe: 'it is not final yet, and may still leave the chain',
  safe: 'it is safe, and final soon',
  finalized: 'it is final',
} as const

function fillText({ fill }: Execution, { sold, received, gas }: Outcome['symbols']): string | null {
  if (fill === undefined) return null
  const { amount_in, amount_out, fee_native, block_number, finality = 'unsafe' } = fill
  const filled = `${amount_in} ${sold} sold, ${amount_out} ${received} received, ${fee_native} ${gas} paid for gas`
  return `Filled: ${filled}. Block ${block_number}: ${finalityTexts[finality]}.`
}

/** A trade that was refused before anything was sent. */
export function refusedText({ message }: DomainError): string {
  return `Nothing was traded. ${message}`
}

/** A trade that was begun, and whose status cannot be read now. */
export function unknownOutcomeText(quoteId: string, { message }: DomainError): string {
  return `The status of the trade is not known yet: ${message} Send the same sentence again, confirm ${quoteId}, to see it; it trades nothing twice.`
}

function lines(...sentences: (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join('\n')
}
