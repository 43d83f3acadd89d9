import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const requestSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30]
const callSeconds = [0.0005, 0.002, 0.01, 0.05, 0.25, 1, 4, 10]

/**
 * Every metric of this process. Labels are operation ids, closed sets and configured names, never input of callers, so
 * their number is bounded.
 */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const count = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const time = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers })
  const newest = new Map<string, number>()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'trident_chain_head_age_seconds',
    help: 'Age of the newest block',
    registers,
    labelNames: ['chain'] as const,
    collect() {
      for (const [chain, at] of newest) this.set({ chain }, Date.now() / 1_000 - at)
    },
  })
  return {
    requests: count('trident_requests_total', 'Requests that ended, by outcome', ['operation', 'protocol', 'code']),
    requestSeconds: time(
      'trident_request_seconds',
      'Time from a request to its response, or to the end of its stream',
      ['operation', 'protocol'],
      requestSeconds,
    ),
    streams: new Gauge({
      name: 'trident_streams_open',
      help: 'Open streams',
      registers,
      labelNames: ['operation', 'protocol'] as const,
    }),
    unexpected: count('trident_unexpected_errors_total', 'Failures that callers do not see', ['operation']),
    background: count('trident_background_failures_total', 'Failures of background work', ['task']),
    chainEvents: count(
      'trident_chain_events_total',
      'Events of the embedded chains, and chains halted by the gateway',
      ['chain', 'event'],
    ),
    engineSeconds: time('trident_engine_seconds', 'Requests to the chain, by method', ['method', 'ok'], callSeconds),
    upstreamCalls: count('trident_upstream_calls_total', 'Calls of each node, by method', [
      'chain',
      'upstream',
      'method',
      'ok',
    ]),
    upstreamSeconds: time('trident_upstream_seconds', 'Calls of each node', ['chain', 'upstream'], callSeconds),
    statements: count('trident_storage_statements_total', 'Statements of the database', []),
    commitSeconds: time('trident_storage_commit_seconds', 'Commits of the database', [], callSeconds),
    commitHeld: count('trident_storage_commit_held_seconds_total', 'Time that commits held the event loop', []),
    storageSeconds: time('trident_storage_transaction_seconds', 'Database transactions', ['ok'], callSeconds),
    providerCalls: count('trident_provider_calls_total', 'Requests to providers, by outcome', ['provider', 'code']),
    providerSeconds: time('trident_provider_seconds', 'Time of a request to a provider', ['provider'], requestSeconds),
    providerRests: count('trident_provider_rests_total', 'Pauses of a provider after failures', ['provider', 'reason']),
    exchangeLosses: count('trident_exchange_stream_losses_total', 'Lost connections of market data', []),
    redisAway: new Gauge({
      name: 'trident_redis_away',
      help: '1 while the Redis of REDIS_URL does not respond and rates are divided',
      registers,
    }),
    trades: count('trident_trade_moves_total', 'Real trades that reached a state', ['state']),
    transactionTroubles: count(
      'trident_transaction_troubles_total',
      'Own transactions that were replaced, cancelled or given up',
      ['trouble'],
    ),
    replies: count('trident_assistant_replies_total', 'Replies of the assistant', ['model', 'code']),
    tokens: count('trident_assistant_tokens_total', 'Tokens of the language model', ['model', 'direction']),
    /** Stores the time of a chain's newest block, in Unix seconds, from which its age is computed. */
    newestBlock: (chain: string, at: number) => void newest.set(chain, at),
    text: () => registry.metrics(),
  }
}
