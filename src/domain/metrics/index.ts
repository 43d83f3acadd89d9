import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { positions, realizedPnl, unrealizedPnl } from './positions.ts'
import { tvl } from './tvl.ts'
import { volume } from './volume.ts'

export const metrics: Handlers<typeof contract.metrics> = { positions, volume, realizedPnl, unrealizedPnl, tvl }
