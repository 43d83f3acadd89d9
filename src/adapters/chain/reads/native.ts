import { type Hex, nativeToken, type Route, sameAddress } from '../../../domain/ports/chains.ts'
import type { Deployment } from './deployment.ts'

/** Whether the native currency is sold, and whether it is bought. */
export function nativeEnds({ tokens }: Route): { in: boolean; out: boolean } {
  return { in: tokens[0] === nativeToken, out: tokens.at(-1) === nativeToken }
}

/** The token that contracts use for a token: the wrapped one for the native currency. */
export function contractToken({ wrapped_native }: Deployment, token: Hex): Hex {
  return token === nativeToken ? wrapped_native : token
}

/** A route in the tokens that contracts use. */
export function contractRoute(deployment: Deployment, route: Route): Route {
  return { ...route, tokens: route.tokens.map((token) => contractToken(deployment, token)) }
}

/** Whether a pair only wraps or unwraps the native currency; null for all other pairs. */
export function wrappingRoute(deployment: Deployment, tokenIn: Hex, tokenOut: Hex): Route | null {
  const wraps =
    tokenIn !== tokenOut && sameAddress(contractToken(deployment, tokenIn), contractToken(deployment, tokenOut))
  return wraps ? { venue: 'wrapped_native', tokens: [tokenIn, tokenOut], feePips: [], pools: [] } : null
}
