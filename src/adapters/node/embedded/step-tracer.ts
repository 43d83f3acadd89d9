/** Which parts the steps contain. By default the stack and the storage, but not the memory. */
export type StepOptions = { disableStack?: unknown; disableStorage?: unknown; enableMemory?: unknown; limit?: unknown }

/** One step of the EVM as the script collects it: its memory is one hex string. */
type Step = { pc: number; op: string; gas: number; depth: number; memory?: string }

/** A step as nodes return it: its memory is a list of words. */
type CostedStep = Omit<Step, 'memory'> & { gasCost: number; memory?: string[] }

/**
 * The result of the script: `words` counts the words of stack, memory and storage, and `full` is true where they exceed
 * the limit.
 */
export type CollectedSteps = { steps: Step[]; words: number; full: boolean }

/** How many steps are requested, and how many words of stack, memory and storage they may contain in total. */
export type StepRoom = { steps: number; words: number }

/**
 * The tracer script that collects the first steps of a transaction in anvil: one more than requested, because a step's
 * gas cost is the difference to the next step. It stops the execution at that step, or when the words exceed the limit,
 * because anvil serves nothing else meanwhile. The script contains no text of a caller.
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

/** A stored value is known at once; a loaded one is on the stack at the next step. */
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

/** The memory as a whole: the script's own loop over its words is a hundred times slower. */
const memoryScript = `
    this.take(log.memory.length() / 32);
    step.memory = toHex(log.memory.slice(0, log.memory.length()));`

/**
 * The steps as nodes return them, with their gas cost: the difference to the next step of the same call. A step that makes a call costs the
 * gas that the callee did not return. The last step of a call counts as zero.
 */
export function withCosts(steps: readonly Step[]): CostedStep[] {
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
  return steps.map(({ memory, ...step }, index) => ({
    ...step,
    gasCost: costs[index] ?? 0,
    ...(memory !== undefined && { memory: wordsOf(memory) }),
  }))
}

function wordsOf(memory: string): string[] {
  return (memory.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`)
}

/** Opcodes that end a call and return the gas that is left. */
const ends: ReadonlySet<string> = new Set(['STOP', 'RETURN', 'REVERT', 'SELFDESTRUCT'])
