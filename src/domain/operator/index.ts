import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { grantWallet } from './grant-wallet.ts'
import { haltTrading } from './halt-trading.ts'
import { listHalts } from './list-halts.ts'
import { resumeTrading } from './resume-trading.ts'

export const operator: Handlers<typeof contract.operator> = { haltTrading, resumeTrading, listHalts, grantWallet }
