import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The gateway as a process of its own, on free ports. */
export type GatewayProcess = {
  http: string
  grpc: string
  rpc: string
  child: ChildProcess
  /** Ends it and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the gateway with these settings and waits until it listens. */
export async function startGateway(settings: Record<string, string>): Promise<GatewayProcess> {
  const ports = { HTTP_PORT: '0', GRPC_PORT: '0', L1_RPC_PORT: '0', RPC_PORT: '0' }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...ports, LOG_LEVEL: 'error', ...settings }
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stderr?.on('data', (chunk) => (text += chunk))
  const addresses = await new Promise<{ http: string; grpc: string; rpc: string }>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const http = /REST\s+(http:\/\/[\d.:]+)/.exec(text)?.[1]
      const grpc = /gRPC\s+([\d.:]+)/.exec(text)?.[1]
      const rpc = /JSON-RPC\s+(http:\/\/[\d.:]+)/.exec(text)?.[1]
      if (http !== undefined && grpc !== undefined && rpc !== undefined) resolve({ http, grpc, rpc })
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)))
  })
  return {
    ...addresses,
    child,
    async end(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await gone
    },
  }
}
