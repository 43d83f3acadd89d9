import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { preview } from './preview.ts'

export const research: Handlers<typeof contract.research> = { preview }
