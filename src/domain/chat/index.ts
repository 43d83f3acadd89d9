import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { resume, send, stop, stream } from './answers.ts'
import { clear, history } from './history.ts'

export const chat: Handlers<typeof contract.chat> = { send, stream, resume, stop, history, clear }
