import { isIP } from 'node:net'
import { DomainError } from '../../domain/core/errors.ts'
import { timeLimit } from '../../domain/core/time-limit.ts'
import type { Captcha } from '../../domain/ports/faucet.ts'

/** Where answers are checked, and the secret that proves who asks. */
export type CaptchaSettings = {
  url: string
  secret: string
  timeoutMs?: number
  /** Told why nothing could be checked, for the operator's log. */
  failed?: (failure: unknown) => void
}

/** Longest answer of a verifier in bytes; real ones have a few hundred. */
const mostBytes = 16_384

/**
 * A verifier with the form that hCaptcha, Turnstile and reCAPTCHA share: POST `secret`, `response` and `remoteip`,
 * answered `{success, error-codes}`.
 */
export function createCaptcha({ url, secret, timeoutMs = 5_000, failed }: CaptchaSettings): Captcha {
  return {
    async verify(answer, clientAddress) {
      // A network stands for no single address, and a verifier would take it for a fault.
      const from = isIP(clientAddress) === 0 ? {} : { remoteip: clientAddress }
      const body = new URLSearchParams({ secret, response: answer, ...from })
      try {
        const signal = timeLimit(timeoutMs)
        const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
        return verdictOf(await shortText(response))
      } catch (cause) {
        failed?.(cause)
        const message = 'The captcha cannot be checked now; nothing was claimed, try again in a minute.'
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
    if (length > mostBytes) throw new Error('The captcha verifier answered too much.')
    chunks.push(chunk)
  }
  if (!ok) throw new Error(`The captcha verifier answered with status ${status}.`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Throws where the answer tells nothing of the caller, such as that our own secret is wrong. */
function verdictOf(text: string): boolean {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('success' in answer) || typeof answer.success !== 'boolean')
    throw new Error('The captcha verifier answered no verdict.')
  const codes = 'error-codes' in answer && Array.isArray(answer['error-codes']) ? answer['error-codes'] : []
  const ours = codes.find((code) => ourFaults.has(String(code)))
  if (!answer.success && ours !== undefined) throw new Error(`The captcha verifier refuses us: ${ours}.`)
  return answer.success
}

const ourFaults: ReadonlySet<string> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'bad-request',
  'internal-error',
])
