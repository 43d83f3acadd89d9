import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { grantWallet, haltTrading, listHalts, resumeTrading } from './operator.ts'

export const operator: Handlers<typeof contract.operator> = { haltTrading, resumeTrading, listHalts, grantWallet }
