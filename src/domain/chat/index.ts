import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { clear, history, resume, send, stop, stream } from './answers.ts'

export const chat: Handlers<typeof contract.chat> = { send, stream, resume, stop, history, clear }
