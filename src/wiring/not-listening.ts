import type { Config } from '../settings/config.ts'

/** Turns a failure to listen into an Error that names the setting and what to do; throws any other failure unchanged. */
export function notListening(
  setting: 'HTTP_PORT' | 'GRPC_PORT' | 'RPC_PORT' | 'L1_RPC_PORT' | 'PROVIDERS_PORT',
  config: Config,
): (failure: unknown) => never {
  const port = config[setting]
  const next = port < 65_535 ? port + 1 : port - 1
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
