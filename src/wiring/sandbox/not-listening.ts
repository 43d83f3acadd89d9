import type { Config } from '../../settings/config.ts'

const ports = ['HTTP_PORT', 'GRPC_PORT', 'RPC_PORT', 'L1_RPC_PORT', 'PROVIDERS_PORT', 'SANDBOX_PORT'] as const

/** Turns a failure to listen into an Error that names the setting and what to do; throws any other failure unchanged. */
export function notListening(setting: (typeof ports)[number], config: Config): (failure: unknown) => never {
  const port = config[setting]
  const next = unnamedPort(port, new Set(ports.map((name) => config[name])))
  const reasons = {
    EADDRINUSE: `${setting} ${port} is taken: end the other program, or start with ${setting}=${next}.`,
    EACCES: `${setting} ${port} needs more rights than this process has: start with a ${setting} from 1024 on.`,
    EADDRNOTAVAIL: `HOST ${config.HOST} is not an address of this machine: set one of its addresses, or 0.0.0.0 for all of them.`,
    getaddrinfo: `HOST ${config.HOST} is neither an address nor a known name: set an address of this machine.`,
  }
  return (cause) => {
    const [, reason] = Object.entries(reasons).find(([sign]) => String(cause).includes(sign)) ?? []
    throw reason === undefined ? cause : new Error(reason, { cause })
  }
}

/** The next port that no setting names. */
function unnamedPort(port: number, named: ReadonlySet<number>): number {
  let next = port
  while (named.has(next)) next = next < 65_535 ? next + 1 : 1_024
  return next
}
