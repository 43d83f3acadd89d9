import { isIP } from 'node:net'
import { DomainError } from '../../domain/core/errors.ts'
import type { Captcha } from '../../domain/ports/faucet.ts'
import { timeLimit } from '../../kit/time-limit.ts'

/** The verifier's URL, and the secret that identifies this gateway to it. */
type CaptchaSettings = {
  url: string
  secret: string
  timeoutMs?: number
  /** Receives the reason, for the log, why an answer could not be checked. */
  failed?: (failure: unknown) => void
}

/** The most bytes of a verifier's response; real ones have a few hundred. */
const mostBytes = 16_384

/**
 * A verifier with the API that hCaptcha, Turnstile and reCAPTCHA share: POST of `secret`, `response` and `remoteip`,
 * which returns `{success, error-codes}`.
 */
export function createCaptcha({ url, secret, timeoutMs = 5_000, failed }: CaptchaSettings): Captcha {
  return {
    async verify(answer, clientAddress) {
      // The client may be a network (an IPv6 prefix), which the verifier would reject as an address.
      const from = isIP(clientAddress) === 0 ? {} : { remoteip: clientAddress }
      const body = new URLSearchParams({ secret, response: answer, ...from })
      try {
        const signal = timeLimit(timeoutMs)
        const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
        return verdictOf(await shortText(response))
      } catch (cause) {
        failed?.(cause)
        const message = 'The captcha cannot be checked now; nothing was claimed. Try again in a minute.'
        throw new DomainError('UNAVAILABLE', message, { retryAfterSeconds: 60 }, cause)
      }
    },
  }
}

async function shortText({ body, ok, status }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > mostBytes) throw new Error('The response of the captcha verifier is too large.')
    chunks.push(chunk)
  }
  if (!ok) throw new Error(`The captcha verifier returned status ${status}.`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Throws where the response does not concern the caller, such as a wrong secret of this gateway. */
function verdictOf(text: string): boolean {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('success' in answer) || typeof answer.success !== 'boolean')
    throw new Error('The captcha verifier returned no result.')
  const codes = 'error-codes' in answer && Array.isArray(answer['error-codes']) ? answer['error-codes'] : []
  const ours = codes.find((code) => ourFaults.has(String(code)))
  if (!answer.success && ours !== undefined) throw new Error(`The captcha verifier rejected this gateway: ${ours}.`)
  return answer.success
}

const ourFaults: ReadonlySet<string> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'bad-request',
  'internal-error',
])
