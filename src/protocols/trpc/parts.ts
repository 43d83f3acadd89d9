import type { AnyRouter, TRPCRuntimeConfigOptions } from '@trpc/server'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Callers } from '../caller.ts'
import type { TrpcContext, trpcDependencies } from './dependencies.ts'

/** How tRPC serves each operation, by operation id; generated from the contract. */
export type TrpcPlans = Readonly<
  Record<string, { kind: 'query' | 'mutation' | 'subscription' | 'streamingMutation' } | undefined>
>

/** What the routes need. `createRouter` and `plans` are generated. Times are in milliseconds. */
export type TrpcParts = {
  createRouter(dependencies: typeof trpcDependencies, options: TRPCRuntimeConfigOptions<TrpcContext, object>): AnyRouter
  plans: TrpcPlans
  gateway: Gateway
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  /** Time between two pings of a stream. */
  heartbeatMs?: number
  /** Time without a read after which a stream is ended. */
  slowReaderMs?: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** The parts with their defaults, and the router made of them. */
export type TrpcServer = TrpcParts & { router: AnyRouter; heartbeatMs: number; slowReaderMs: number }
