/** Settings that let the system choose a port for each server, so that gateways run side by side. */
export const freePorts = {
  HTTP_PORT: '0',
  GRPC_PORT: '0',
  RPC_PORT: '0',
  L1_RPC_PORT: '0',
  PROVIDERS_PORT: '0',
  SANDBOX_PORT: '0',
} as const
