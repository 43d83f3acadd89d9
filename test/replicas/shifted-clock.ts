// Loaded before a gateway by NODE_OPTIONS=--import: its clock is off by CLOCK_OFF_MS, and runs as fast as before.
const off = Number(process.env.CLOCK_OFF_MS ?? 0)
const RealDate = Date
const now = () => RealDate.now() + off

globalThis.Date = new Proxy(RealDate, {
  construct: (target, words, newTarget) => Reflect.construct(target, words.length === 0 ? [now()] : words, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
