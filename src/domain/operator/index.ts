import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { grantWallet } from './grant-wallet.ts'
import { haltTrading, listHalts, resumeTrading } from './halts.ts'

export const operator: Handlers<typeof contract.operator> = { haltTrading, resumeTrading, listHalts, grantWallet }
