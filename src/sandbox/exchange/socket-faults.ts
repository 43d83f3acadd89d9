import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Fault } from '../provider-server/faults.ts'

/** Spoils an accepted WebSocket. True where that is all it does, false where it works as it should. */
export function applySocketFault(fault: Fault | null, socket: WebSocket, raw: Duplex): boolean {
  socket.on('error', () => socket.terminate())
  switch (fault?.type) {
    case 'stall_midway':
      socket.pause() // it does not even answer a ping
      return true
    case 'truncate':
      socket.once('message', () => raw.write(promisedFrame, () => socket.terminate()))
      return true
    case 'wrong_json':
      socket.on('message', () => socket.send('{"of":["another","shape"]}'))
      return true
    case 'garbage':
      socket.on('message', () => socket.send('<html>Bad gateway</html>'))
      return true
    case 'flood':
      socket.on('message', () => socket.send(' '.repeat(floodBytes)))
      return true
    default:
      return false
  }
}

const floodBytes = 2_097_152
/** A text of 100 bytes, of which one comes. */
const promisedFrame = Buffer.from([0x81, 100, 0x7b])
