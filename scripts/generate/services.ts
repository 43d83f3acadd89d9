import type { Message } from './message.ts'
import type { Method, Model } from './model.ts'
import { pascalCase, propertyKey, quoted, serviceName } from './names.ts'
import { header } from './write.ts'

/** The table of methods for the gRPC server, and the service definitions and clients of the stubs by group. */
export function servicesFile(model: Model): string {
  const groups = model.services.map(({ group }) => group)
  const answersShared = model.services.some((service) =>
    service.methods.some(({ response }) => response.group === null),
  )
  const methods = model.services.flatMap((service) => service.methods.map((method) => methodText(service.name, method)))
  return `${[
    `// ${header}`,
    [
      `import type { OperationId } from '../../src/contract/index.ts'`,
      `import * as convert from './converters.ts'`,
      ...[...groups, ...(answersShared ? ['types'] : [])]
        .map((file) => `import * as ${file} from './proto/trident/v1/${file}.ts'`)
        .sort(),
      `import { decode, encode, type Stub } from './wire.ts'`,
    ].join('\n'),
    types,
    `/** Every method by operation id. */\nexport const grpcMethods = {\n${methods.join('\n')}\n} satisfies Record<OperationId, GrpcMethod>`,
    `/** The services for grpc-js, by group. */\nexport const grpcServices = {\n${groups.map((group) => `  ${propertyKey(group)}: ${group}.${serviceOf(model, group)}Service,`).join('\n')}\n}`,
    `/** The clients for grpc-js, by group. */\nexport const grpcClients = {\n${groups.map((group) => `  ${propertyKey(group)}: ${group}.${serviceOf(model, group)}Client,`).join('\n')}\n}`,
    sideFunction,
  ].join('\n\n')}\n`
}

const types = `/** A method: converts between bytes and values of the contract. Decoded values are not validated yet. */
export type GrpcMethod = {
  /** Operation id, such as \`trading.quote\`. */
  id: OperationId
  /** Full name of the service, such as \`trident.v1.TradingService\`. */
  service: string
  /** Name of the method, such as \`Quote\`. */
  method: string
  /** \`/service/method\`. */
  path: string
  stream: boolean
  /** \`service/method\` of the stream that has the same in parts. */
  streamedBy?: string
  /** Throws on bytes that are not the request. */
  decodeRequest(bytes: Uint8Array): unknown
  /** An output, or one event of a stream. */
  encodeResponse(output: unknown): Buffer
  /** The caller's side of \`decodeRequest\`. */
  encodeRequest(input: unknown): Buffer
  /** The caller's side of \`encodeResponse\`; throws on bytes that are not the response. */
  decodeResponse(bytes: Uint8Array): unknown
}`

const sideFunction = `/** One direction of a method: its stub and the functions between stub and contract. */
type Side<Message> = { stub: Stub<Message>; to(value: unknown): Message; from(message: Message): unknown }

/** The gateway has checked encoded values against the contract, from which \`to\` was made. */
function side<Value, Message>(stub: Stub<Message>, to: (value: Value) => Message, from: (message: Message) => unknown): Side<Message> {
  return { stub, to: to as (value: unknown) => Message, from }
}

function method<Request, Response>(
  names: Pick<GrpcMethod, 'id' | 'service' | 'method' | 'stream' | 'streamedBy'>,
  request: Side<Request>,
  response: Side<Response>,
): GrpcMethod {
  return {
    ...names,
    path: \`/\${names.service}/\${names.method}\`,
    decodeRequest: (bytes) => request.from(decode(request.stub, bytes)),
    encodeResponse: (output) => encode(response.stub, response.to(output)),
    encodeRequest: (input) => encode(request.stub, request.to(input)),
    decodeResponse: (bytes) => response.from(decode(response.stub, bytes)),
  }
}`

/** ts-proto names a service definition `<Service>Service` and a client `<Service>Client`. */
function serviceOf(model: Model, group: string): string {
  return model.services.find((service) => service.group === group)?.name ?? group
}

function methodText(service: string, { id, name, stream, operation, request, response }: Method): string {
  const [group = '', key = ''] = operation.streamedBy?.split('.') ?? []
  const streamedBy = key === '' ? '' : `, streamedBy: '${serviceName(group)}/${pascalCase(key)}'`
  const names = `{ id: ${quoted(id)}, service: 'trident.v1.${service}', method: '${name}', stream: ${stream}${streamedBy} }`
  return `  ${quoted(id)}: method(\n    ${names},\n    ${sideText(request)},\n    ${sideText(response)},\n  ),`
}

/** Shared messages stand in the file `types`. */
function sideText({ group, name }: Message): string {
  return `side(${group ?? 'types'}.${name}, convert.to${name}, convert.from${name})`
}
