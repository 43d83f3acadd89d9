import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Fault } from '../provider-server/faults.ts'

/** Applies a fault to an accepted WebSocket. Returns false where the connection shall work as usual. */
export function applySocketFault(fault: Fault | null, socket: WebSocket, raw: Duplex): boolean {
  socket.on('error', () => socket.terminate())
  switch (fault?.type) {
    case 'stall_midway':
      socket.pause() // no pong either
      return true
    case 'truncate':
      socket.once('message', () => raw.write(shortFrame, () => socket.terminate()))
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
/** The header of a text frame of 100 bytes, followed by one byte only. */
const shortFrame = Buffer.from([0x81, 100, 0x7b])
