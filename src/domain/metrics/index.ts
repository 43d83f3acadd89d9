import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { positions } from './positions.ts'
import { realizedPnl } from './realized-pnl.ts'
import { tvl } from './tvl.ts'
import { unrealizedPnl } from './unrealized-pnl.ts'
import { volume } from './volume.ts'

export const metrics: Handlers<typeof contract.metrics> = { positions, volume, realizedPnl, unrealizedPnl, tvl }
