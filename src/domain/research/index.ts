import type { contract } from '../../contract/index.ts'
import { type Handlers, unimplemented } from '../handler.ts'

export const research: Handlers<typeof contract.research> = { preview: unimplemented }
