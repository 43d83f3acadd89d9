import {
  createTRPCClient,
  httpBatchStreamLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCLink,
} from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { EventSource } from 'eventsource'
import type { AppRouter } from '../../../generated/client/index.d.ts'

const url = '/trpc'

/** What a call needs besides its input. */
type CallContext = {
  /** The token of this call, where it is not the session's. */
  token?: string
  /** True of a mutation that answers piece by piece. */
  streams?: true
}

let sessionToken: string | null = null
let onRefusal: () => void = () => undefined

/** Says what happens when the gateway no longer knows the session's token. */
export function onSessionRefused(act: () => void): void {
  onRefusal = act
}

/** Gives the token that calls are sent with from now on; streams take it at their next connection. */
export function sendToken(token: string | null): void {
  sessionToken = token
}

/** Context for a call with another token than the session's. */
export function withToken(token: string): { context: CallContext } {
  return { context: { token } }
}

/** Context for a mutation that answers piece by piece, until the signal ends it. */
export function streamed(signal: AbortSignal): { context: CallContext; signal: AbortSignal } {
  return { context: { streams: true }, signal }
}

/** The header of the token that calls are sent with. */
export function authorization(context: CallContext = {}): Record<string, string> {
  const token = context.token ?? sessionToken
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

/** Notices a refusal of the token that is still the session's, not one of an earlier session. */
const refusals: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const sent = sessionToken
      return next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error(error) {
          const isRefused = error.data?.trident.code === 'UNAUTHENTICATED'
          if (isRefused && sent !== null && sent === sessionToken && !('token' in op.context)) onRefusal()
          observer.error(error)
        },
      })
    })

/**
 * Every operation of the contract, on this origin. A subscription that is cut goes on after its last event; it holds one
 * of the browser's six connections to the gateway for all tabs.
 */
export const gateway = createTRPCClient<AppRouter>({
  links: [
    refusals,
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({
        url,
        EventSource,
        // The browser's own EventSource sends no authorization.
        eventSourceOptions: () => ({
          fetch: (address, init) => fetch(address, { ...init, headers: { ...init.headers, ...authorization() } }),
        }),
      }),
      false: splitLink({
        condition: ({ context }) => (context as CallContext).streams === true,
        true: httpBatchStreamLink({ url, maxItems: 1, headers: () => authorization() }),
        false: httpLink({ url, headers: ({ op }) => authorization(op.context as CallContext) }),
      }),
    }),
  ],
})
