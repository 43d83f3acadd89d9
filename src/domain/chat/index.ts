import type { contract } from '../../contract/index.ts'
import type { Handlers } from '../core/handler.ts'
import { clear } from './clear.ts'
import { history } from './history.ts'
import { resume } from './resume.ts'
import { send } from './send.ts'
import { stop } from './stop.ts'
import { stream } from './stream.ts'

export const chat: Handlers<typeof contract.chat> = { send, stream, resume, stop, history, clear }
