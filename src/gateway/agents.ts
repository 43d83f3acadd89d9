import { DomainError } from '../domain/core/errors.ts'
import type { TokenHolder } from '../domain/core/handler.ts'
import type { Grant } from '../domain/ports/accounts.ts'
import { identified, identify, requesterOf } from './admit.ts'
import type { Context, Request } from './request.ts'

/**
 * The session of an agent. With the token of a session without a threshold an agent trades without a person being asked, so
 * such a session is refused, and a user token too.
 */
export async function identifyAgent(
  context: Context,
  request: Pick<Request, 'caller' | 'headers'>,
): Promise<{ holder: TokenHolder; session: string; grant: Grant }> {
  const { caller } = request
  const holder = await identified(context, request, 'default', identify(context, 'session', caller))
  const { grant = null, sessionId = null } = holder ?? {}
  if (holder !== null && sessionId !== null && grant !== null && grant.confirmAboveUsd !== null)
    return { holder, session: sessionId, grant }
  await context.limit('default', requesterOf(caller, holder), request.headers)
  throw new DomainError(
    'PERMISSION_DENIED',
    'An agent needs a session whose grant has confirm_above_usd, the value above which you confirm its trades. Start one ' +
      'in the console, under Agents, or by auth.createSession with {"grant":{"scopes":["read","trade"],"confirm_above_usd":0}}; ["read"] alone for one that does not trade.',
  )
}
