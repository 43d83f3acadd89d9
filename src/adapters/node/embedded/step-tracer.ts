/** What the steps show. By default the stack and the storage are shown, and the memory is not. */
export type StepOptions = { disableStack?: unknown; disableStorage?: unknown; enableMemory?: unknown; limit?: unknown }

/** One step of the EVM as nodes return it, without its cost. */
export type Step = { pc: number; op: string; gas: number; depth: number }

/** What the script collected: `words` counts those of stack, memory and storage, and `full` is true where they are too many. */
export type CollectedSteps = { steps: Step[]; words: number; full: boolean }

/** How many steps are requested, and how many words of stack, memory and storage they may show together. */
export type StepRoom = { steps: number; words: number }

/**
 * The tracer script by which anvil collects the first steps of a transaction: one more than requested, since the cost of
 * a step is the gas that the next one has less. It stops the execution there, or where a step shows more words than there
 * is room for: anvil serves nothing else meanwhile. No text of a caller gets into the script.
 */
export function stepTracer({ disableStack, disableStorage, enableMemory }: StepOptions, room: StepRoom): string {
  return `{
  steps: [], storage: {}, loading: null, words: 0, full: false,
  take: function (words) {
    this.words += words;
    this.full = this.words > ${room.words};
    if (this.full) throw new Error('enough');
  },
  word: function (number) { return '0x' + ('0'.repeat(64) + number.toString(16)).slice(-64) },
  step: function (log) {
    ${disableStorage === true ? '' : loadedScript}
    if (this.steps.length > ${room.steps}) throw new Error('enough');
    var step = { pc: log.getPC(), op: log.op.toString(), gas: log.getGas(), depth: log.getDepth(), refund: log.getRefund() };
    ${disableStack === true ? '' : stackScript}
    ${disableStorage === true ? '' : storageScript}
    ${enableMemory === true ? memoryScript : ''}
    this.steps.push(step);
  },
  fault: function () {},
  result: function () { return { steps: this.steps, words: this.words, full: this.full } }
}`
}

const stackScript = `
    this.take(log.stack.length());
    step.stack = [];
    for (var place = log.stack.length() - 1; place >= 0; place--)
      step.stack.push('0x' + log.stack.peek(place).toString(16));`

/** A written value is known at once; a loaded one is on the stack at the next step. */
const storageScript = `
    if (step.op === 'SLOAD' || step.op === 'SSTORE') {
      var owner = toHex(log.contract.getAddress());
      var known = this.storage[owner] = this.storage[owner] || {};
      var slot = this.word(log.stack.peek(0));
      this.take(Object.keys(known).length + 1);
      if (step.op === 'SSTORE') {
        known[slot] = this.word(log.stack.peek(1));
        step.storage = Object.assign({}, known);
      } else this.loading = { step: step, known: known, slot: slot };
    }`

const loadedScript = `
    if (this.loading !== null) {
      this.loading.known[this.loading.slot] = this.word(log.stack.peek(0));
      this.loading.step.storage = Object.assign({}, this.loading.known);
      this.loading = null;
    }`

const memoryScript = `
    this.take(log.memory.length() / 32);
    step.memory = [];
    for (var at = 0; at + 32 <= log.memory.length(); at += 32)
      step.memory.push(toHex(log.memory.slice(at, at + 32)));`

/**
 * The steps with the gas that each costs: what the next step of the same call has less. A step that makes a call costs
 * what the callee did not return; the last step of a call counts as free.
 */
export function withCosts(steps: readonly Step[]): (Step & { gasCost: number })[] {
  const costs = steps.map(() => 0)
  /** Index of the last step of each open call, by depth. */
  const last: number[] = []
  for (const [index, { gas, depth }] of steps.entries()) {
    const before = last[depth]
    const previous = steps[before ?? -1]
    if (before !== undefined && previous !== undefined) {
      const called = steps[index - 1]
      const returned = called !== undefined && called.depth > depth && ends.has(called.op) ? called.gas : 0
      costs[before] = previous.gas - gas + returned
    }
    last.length = depth
    last[depth] = index
  }
  return steps.map((step, index) => ({ ...step, gasCost: costs[index] ?? 0 }))
}

/** Opcodes that end a call and return the gas that is left. */
const ends: ReadonlySet<string> = new Set(['STOP', 'RETURN', 'REVERT', 'SELFDESTRUCT'])
