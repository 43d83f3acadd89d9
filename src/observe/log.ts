import { type DestinationStream, type Logger, pino } from 'pino'
import { PinoPretty, type PrettyOptions } from 'pino-pretty'

export type LogSettings = {
  level: string
  /** Secret texts of the configuration. */
  secrets: readonly string[]
  /** Standard error unless given: text on a terminal, JSON elsewhere. */
  destination?: DestinationStream
}

/** Field names of secrets. No event has one; should one be added, its value is hidden. */
const hidden =
  'authorization cookie headers keystore password passwordHash secret apiKey key privateKey token accessToken access_token params body input'.split(
    ' ',
  )

/** Patterns of secrets: signed tokens, credentials after Bearer or Basic, and logins in URLs. */
const patterns: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '***'],
  [/\b(Bearer|Basic) +[^\s"\\]+/gi, '$1 ***'],
  [/(\w:\/\/)[^\s"/\\@]+@/g, '$1***@'],
]

/** A stream that writes the lines of a log as text, for people. */
export function asText(destination: NonNullable<PrettyOptions['destination']>): DestinationStream {
  const pretty = PinoPretty({ destination, singleLine: true, translateTime: 'SYS:HH:MM:ss', sync: true })
  return { write: (line) => void pretty.write(shown(line)) }
}

/**
 * A line of JSON whose control characters stay escapes when it is shown as text, so that no foreign word moves the cursor
 * or forges a line. Only the lines of a stack are lines.
 */
function shown(line: string): string {
  return line
    .replaceAll(/\\\\|\\(?:u00[01][0-9a-f]|u007f|[bfrt]|n(?! {4}at ))/gi, (found) =>
      found === '\\\\' ? found : `\\${found}`,
    )
    .replaceAll(/[\u007f-\u009f]/g, (control) => `\\\\u00${control.charCodeAt(0).toString(16)}`)
}

/** A log without secrets of the configuration or of callers. */
export function createLog({ level, secrets, destination }: LogSettings): Logger {
  const texts = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  const streamWrite = (line: string) =>
    patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), without(line, texts))
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    destination ?? (process.stderr.isTTY ? asText(2) : pino.destination({ dest: 2, sync: false })),
  )
}

function without(line: string, texts: readonly string[]): string {
  return texts.reduce((text, secret) => text.replaceAll(secret, '***'), line)
}
