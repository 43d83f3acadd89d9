import { type DestinationStream, type Logger, pino } from 'pino'

export type LogSettings = {
  level: string
  /** Texts of the configuration that nobody may read. */
  secrets: readonly string[]
  /** Where lines go; standard error unless given. */
  destination?: DestinationStream
}

/** Names under which secrets travel. No event has such a field; one that comes to have it is not written out. */
const hidden = [
  ...['authorization', 'cookie', 'headers', 'keystore', 'password', 'passwordHash', 'secret'],
  ...['apiKey', 'key', 'privateKey', 'token', 'accessToken', 'access_token', 'params', 'body', 'input'],
]

/** Texts that are secrets wherever they stand: signed tokens, what follows Bearer, and logins within addresses. */
const shapes: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '***'],
  [/\b(Bearer|Basic) +[^\s"\\]+/gi, '$1 ***'],
  [/(\w:\/\/)[^\s"/\\@]+@/g, '$1***@'],
]

/** A log of lines of JSON, in which no secret stands: neither of the configuration nor of a caller. */
export function createLog({ level, secrets, destination }: LogSettings): Logger {
  const texts = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  const streamWrite = (line: string) =>
    shapes.reduce((text, [shape, by]) => text.replace(shape, by), without(line, texts))
  return pino(
    {
      ...{ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite } },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
}

function without(line: string, texts: readonly string[]): string {
  return texts.reduce((text, secret) => text.replaceAll(secret, '***'), line)
}
