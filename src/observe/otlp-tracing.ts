import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { type ErrorCode, errorTable } from '../contract/shared/errors.ts'
import type { TraceParent } from '../gateway/request-observer.ts'
import type { Tracing } from './tracing.ts'

export type TracingSettings = {
  /** Base URL of an OTLP collector over HTTP; spans go to `/v1/traces` below it. */
  endpoint: string
  serviceName: string
  /** Called for each batch that the collector did not accept. */
  failed: (error: unknown) => void
}

/** The timeout of a batch, and how long closing waits. A collector that does not respond costs only its spans; at most 2,048 wait. */
const sendMs = 3_000

/** Tracing by OpenTelemetry, without global state. No request waits for the collector. */
export function openTracing({ endpoint, serviceName, failed }: TracingSettings): Tracing {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = reportingFailures(new OTLPTraceExporter({ url, timeoutMillis: sendMs }), failed)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000, exportTimeoutMillis: sendMs })],
  })
  const tracer = provider.getTracer('trident')
  return {
    begin(name, parent, attributes) {
      const before = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent))
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, before)
      const within = trace.setSpan(ROOT_CONTEXT, span)
      return {
        step({ name: stepName, remote, seconds, ok, facts }) {
          const end = performance.timeOrigin + performance.now()
          const kind = remote ? SpanKind.CLIENT : SpanKind.INTERNAL
          const options = { kind, attributes: facts, startTime: end - seconds * 1_000 }
          const step = tracer.startSpan(stepName, options, within)
          if (!ok) step.setStatus({ code: SpanStatusCode.ERROR })
          step.end(end)
        },
        end(code, facts) {
          span.setAttributes(facts)
          if (isServerError(code)) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, sendMs).unref())
      await Promise.race([provider.shutdown().catch(failed), late])
    },
  }
}

function contextOf({ traceId, spanId, sampled }: TraceParent): ReturnType<Span['spanContext']> {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true }
}

/** Whether the server failed; OpenTelemetry does not count errors of callers. */
function isServerError(code: ErrorCode | 'OK'): boolean {
  return code !== 'OK' && errorTable[code].http >= 500
}

function reportingFailures(exporter: SpanExporter, failed: (error: unknown) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) failed(result.error)
        done(result)
      }),
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: async () => await exporter.shutdown(),
  }
}
