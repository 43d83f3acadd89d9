import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chainServices } from '../../../contract/chain/services.ts'
import type { DomainError } from '../../../domain/core/errors.ts'
import type { Gateway, Returned } from '../../../gateway/gateway.ts'
import type { Protocol } from '../../../gateway/request.ts'
import { readBody } from '../../body.ts'
import { asksForHtml, type Callers } from '../../caller.ts'
import { problemOf } from '../../problem.ts'
import { disconnectSignal } from '../../streams.ts'
import { sendPage } from '../page.ts'
import { bridgePage, transferPage } from './bridge-page.ts'
import { claimPage, type FaucetFacts, faucetMessage, faucetPage } from './faucet-page.ts'

export type ServiceParts = {
  gateway: Gateway
  callers: Callers
  /** The protocol as which the calls of the pages count. */
  protocol: Protocol
  faucet: FaucetFacts
}

/** Seconds after which a browser asks again for a state that is not final. */
const refreshSeconds = 3

/** A Fastify plugin with the pages of the faucet and the bridge, for those who ask for HTML; each calls the same operations as the API. */
export function serviceRoutes(parts: ServiceParts): (app: FastifyInstance) => Promise<void> {
  const { faucet } = parts
  const call = caller(parts)
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (!asksForHtml(request.headers)) return reply.callNotFound()
    })
    app.get<Query>('/faucet', async (request, reply) => {
      const id = textOf(request.query.claim)
      if (id === '') return sendPage(reply, 200, faucetPage(faucet), faucet.captcha?.sources)
      const result = await call('chain.faucetClaim', () => ({ tx_hash: id }), request, reply)
      if (!result.ok) return sendPage(reply, statusOf(result.error), faucetMessage(result.error.message))
      const claim = chainServices.faucetClaim.output.parse(result.output)
      if (claim.status === 'queued' || claim.status === 'pending') reply.header('refresh', refreshSeconds)
      return sendPage(reply, 200, claimPage(claim, faucet.nativeSymbol))
    })
    app.post('/faucet', async (request, reply) => await claim(parts, call, request, reply))
    app.get<Query>('/bridge', async (request, reply) => {
      const transfer = textOf(request.query.transfer)
      if (transfer === '') return sendPage(reply, 200, bridgePage())
      const result = await call('chain.bridgeStatus', () => ({ l1_tx_hash: transfer }), request, reply)
      if (!result.ok)
        return sendPage(reply, statusOf(result.error), bridgePage({ transfer, reason: result.error.message }))
      const status = chainServices.bridgeStatus.output.parse(result.output)
      if (status.state === 'pending' || status.state === 'relaying') reply.header('refresh', refreshSeconds)
      return sendPage(reply, 200, transferPage(status, faucet.nativeSymbol))
    })
  }
}

type Query = { Querystring: Record<string, unknown> }

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
  const site = request.headers['sec-fetch-site'] ?? 'none'
  // Another site could otherwise use up the claims of its visitors.
  if (site !== 'none' && site !== 'same-origin')
    return sendPage(reply, 403, faucetMessage('The form was sent from another site. Claim on this page.'))
  let address = ''
  const read = () => {
    const fields = new Map(Object.entries(readBody('form', request.headers, request.body).fields ?? {}))
    address = textOf(fields.get('address')).slice(0, 100)
    const captcha = faucet.captcha === null ? '' : textOf(fields.get(faucet.captcha.field))
    return { address: textOf(fields.get('address')), ...(captcha === '' ? {} : { captcha }) }
  }
  const result = await call('chain.claimFaucet', read, request, reply)
  if (!result.ok) {
    const refused = { address, reason: result.error.message }
    return sendPage(reply, statusOf(result.error), faucetPage(faucet, refused), faucet.captcha?.sources)
  }
  const { claimId = '', txHash } = chainServices.claimFaucet.output.parse(result.output)
  return reply.redirect(`/faucet?claim=${claimId || txHash}`, 303)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function statusOf(error: DomainError): number {
  return problemOf(error, '').status
}
