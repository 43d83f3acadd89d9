import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { quote, type Serve } from './served.ts'

/** The baseline of gRPC: a grpc-js server with the same messages, and no checks. */
export const serve: Serve = async () => {
  const { path, decodeRequest, encodeResponse, encodeRequest, decodeResponse } = grpcMethods['trading.quote']
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: encodeRequest,
    requestDeserialize: decodeRequest,
    responseSerialize: encodeResponse,
    responseDeserialize: decodeResponse,
  }
  const answer = (_call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) =>
    respond(null, quote.example.output)
  const server = new Server()
  server.addService({ quote: definition }, { quote: answer })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error),
  )
  return { grpc: await promise }
}
