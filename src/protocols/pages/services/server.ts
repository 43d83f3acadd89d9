import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chainServices } from '../../../contract/chain/services.ts'
import type { DomainError } from '../../../domain/core/errors.ts'
import type { Gateway, Returned } from '../../../gateway/gateway.ts'
import type { Protocol } from '../../../gateway/request.ts'
import { readBody } from '../../body.ts'
import { type Callers, wantsHtml } from '../../caller.ts'
import { problemOf } from '../../problem.ts'
import { disconnectSignal } from '../../streams.ts'
import { queryOf, readFields } from '../../url-text.ts'
import { sendPage, showRefusals } from '../page.ts'
import { type BridgeStatus, bridgePage, transferPage } from './bridge-page.ts'
import { claimPage, type FaucetFacts, faucetMessage, faucetPage } from './faucet-page.ts'

type ServiceParts = {
  gateway: Gateway
  callers: Callers
  /** The protocol as which the calls of the pages count. */
  protocol: Protocol
  faucet: FaucetFacts
}

/** Seconds after which a browser asks again for a state that is not final. */
const refreshSeconds = 3

/** Seconds after which the state of a transfer may have changed; null where all are final, or wait for their sender. */
function refreshOf({ transfers }: BridgeStatus): number | null {
  const seconds = transfers.flatMap(({ next_step: step }) => {
    if (step === 'none' || step === 'prove' || step === 'finalize') return []
    return step === 'wait_for_maturity' || step === 'wait_for_output' ? 15 : refreshSeconds
  })
  return seconds.length === 0 ? null : Math.min(...seconds)
}

/** Lets the browser ask again where a failure says when. */
function refreshing(reply: FastifyReply, { details }: DomainError): FastifyReply {
  return details.retryAfterSeconds == null ? reply : reply.header('refresh', details.retryAfterSeconds)
}

/** A Fastify plugin with the pages of the faucet and the bridge, for those who accept HTML; each calls the same operations as the API. */
export function serviceRoutes(parts: ServiceParts): (app: FastifyInstance) => Promise<void> {
  const { faucet } = parts
  const call = caller(parts)
  return async (app) => {
    showRefusals(app)
    app.addHook('onRequest', async (request, reply) => {
      reply.header('vary', 'accept')
      if (!wantsHtml(request.headers, 'any')) return reply.callNotFound()
    })
    app.get('/faucet', async (request, reply) => {
      const id = textOf(readFields(queryOf(request.raw.url)).claim)
      if (id === '') return sendPage(reply, 200, faucetPage(faucet), faucet.captcha?.sources)
      const result = await call('chain.faucetClaim', () => ({ tx_hash: id }), request, reply)
      if (!result.ok)
        return sendPage(refreshing(reply, result.error), statusOf(result.error), faucetMessage(reasonOf(result.error)))
      const claim = chainServices.faucetClaim.output.parse(result.output)
      if (claim.status === 'queued' || claim.status === 'pending') reply.header('refresh', refreshSeconds)
      return sendPage(reply, 200, claimPage(claim, faucet.nativeSymbol))
    })
    app.post('/faucet', async (request, reply) => await claim(parts, call, request, reply))
    app.get('/bridge', async (request, reply) => {
      const transfer = textOf(readFields(queryOf(request.raw.url)).transfer)
      if (transfer === '') return sendPage(reply, 200, bridgePage())
      const result = await call('chain.bridgeStatus', () => ({ l1_tx_hash: transfer }), request, reply)
      if (!result.ok)
        return sendPage(
          refreshing(reply, result.error),
          statusOf(result.error),
          bridgePage({ transfer, reason: reasonOf(result.error) }),
        )
      const status = chainServices.bridgeStatus.output.parse(result.output)
      const seconds = refreshOf(status)
      if (seconds !== null) reply.header('refresh', seconds)
      return sendPage(reply, 200, transferPage(status, transfer, faucet.nativeSymbol))
    })
  }
}

type ServiceCall = (id: string, read: () => unknown, request: FastifyRequest, reply: FastifyReply) => Promise<Returned>

function caller({ gateway, callers, protocol }: ServiceParts): ServiceCall {
  return async (id, read, request, reply) => {
    const facts = { protocol, requestId: request.id, signal: disconnectSignal(reply.raw) }
    const result = await gateway.call(id, read, callers.ofHttp(request.raw, facts))
    reply.headers(result.headers)
    return result
  }
}

/** Claims, and leads to the state of the claim, so that a reload does not claim again. */
async function claim({ faucet }: ServiceParts, call: ServiceCall, request: FastifyRequest, reply: FastifyReply) {
  let address = ''
  const read = () => {
    const fields = new Map(Object.entries(readBody(request, 'form').fields ?? {}))
    address = textOf(fields.get('address')).slice(0, 100)
    const captcha = faucet.captcha === null ? '' : textOf(fields.get(faucet.captcha.field))
    return { address: textOf(fields.get('address')), ...(captcha === '' ? {} : { captcha }) }
  }
  const result = await call('chain.claimFaucet', read, request, reply)
  if (!result.ok) {
    const refused = { address, reason: reasonOf(result.error) }
    return sendPage(reply, statusOf(result.error), faucetPage(faucet, refused), faucet.captcha?.sources)
  }
  const { claimId = '', txHash } = chainServices.claimFaucet.output.parse(result.output)
  return reply.redirect(`/faucet?claim=${claimId || txHash}`, 303)
}

const fieldNames: Record<string, string> = {
  l1_tx_hash: 'The hash',
  tx_hash: 'The claim',
  address: 'The address',
  captcha: 'The captcha',
}

/** An error in the words of a form, which has no names of fields. */
function reasonOf({ message, details }: DomainError): string {
  const [violation] = details.violations ?? []
  return violation === undefined ? message : `${fieldNames[violation.path] ?? violation.path} ${violation.message}.`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function statusOf(error: DomainError): number {
  return problemOf(error, '').status
}
