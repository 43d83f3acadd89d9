import { createLog, type LogSettings } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createObserver, type Observer } from '../observe/observer.ts'
import { noTracing } from '../observe/tracing.ts'
import { type Config, secretTexts } from '../settings/config.ts'

/** Opens log, metrics and traces as configured; the log goes to standard error unless a destination is given. */
export async function openObserver(config: Config, destination?: LogSettings['destination']): Promise<Observer> {
  const { LOG_LEVEL: level, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config
  const log = createLog({ level, secrets: secretTexts(config), ...(destination === undefined ? {} : { destination }) })
  const parts = { log, metrics: createMetrics(), tracing: noTracing }
  const untraced = createObserver(parts)
  if (endpoint === undefined) return untraced
  const { openTracing } = await import('../observe/otlp-tracing.ts') // OpenTelemetry is loaded only where it is used
  const failed = (error: unknown) => untraced.background({ task: 'traces', error, triesAgain: false })
  return createObserver({ ...parts, tracing: openTracing({ endpoint, serviceName, failed }) })
}
