import type { Observer } from '../observe/observer.ts'
import type { Config } from '../settings/config.ts'

/** Most warnings of one kind: no caller can fill the log, nor the memory of what was reported. */
const mostReported = 100

/**
 * Warnings about callers who were refused and whom a setting would let in. Each is written once, and the one that ends them
 * says so.
 */
export function refusedCallers(config: Config, warn: Observer['refusedCallers']) {
  const once = (setting: (found: string) => string, why: string) => {
    const reported = new Set<string>()
    return (text: string) => {
      const found = text.slice(0, 255)
      if (reported.has(found) || reported.size === mostReported) return
      reported.add(found)
      const isLast = reported.size === mostReported
      warn({ setting: setting(found), found, why: isLast ? `${why}; further ones are not reported` : why })
    }
  }
  const names = config.ALLOWED_HOSTS ?? []
  return {
    /** A host name, without its port. */
    host: once(
      (name) => `ALLOWED_HOSTS=${[...names, name].join(',')}`,
      'requests under a host name that is not served',
    ),
    origin: once(
      () => 'CORS_ORIGINS',
      'requests of a web page whose origin is not allowed; PUBLIC_URL is the own origin',
    ),
    /** The address of a caller. */
    connections: once(() => 'TRUSTED_PROXIES', 'too many connections of one address; name it if it is a proxy'),
  }
}
