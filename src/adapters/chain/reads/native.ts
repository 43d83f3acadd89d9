import { type Hex, nativeToken, type Route } from '../../../domain/ports/chains.ts'
import { same } from './connection.ts'
import type { Deployment } from './deployment.ts'

/** Is the native currency sold, is it bought. */
export function nativeEnds({ tokens }: Route): { in: boolean; out: boolean } {
  return { in: tokens[0] === nativeToken, out: tokens.at(-1) === nativeToken }
}

/** The token that stands for a token of ours in contracts: the wrapped one for the native currency. */
export function contractToken({ wrapped_native }: Deployment, token: Hex): Hex {
  return token === nativeToken ? wrapped_native : token
}

/** A route in the tokens that contracts know. */
export function contractRoute(deployment: Deployment, route: Route): Route {
  return { ...route, tokens: route.tokens.map((token) => contractToken(deployment, token)) }
}

/** The exchange of the native currency for its token or back, or null where the two are others. */
export function wrappingRoute(deployment: Deployment, tokenIn: Hex, tokenOut: Hex): Route | null {
  const wraps = tokenIn !== tokenOut && same(contractToken(deployment, tokenIn), contractToken(deployment, tokenOut))
  return wraps ? { venue: 'wrapped_native', tokens: [tokenIn, tokenOut], feePips: [], pools: [] } : null
}
