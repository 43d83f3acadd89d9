import { create, toBinary } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

export const healthServiceName = 'grpc.health.v1.Health'

const requestType = '.grpc.health.v1.HealthCheckRequest'
const responseType = '.grpc.health.v1.HealthCheckResponse'
const statusType = `${responseType}.ServingStatus`

/**
 * The standard health service as a serialised FileDescriptorProto, for reflection. The one inside the health package
 * names its types relatively, which clients cannot link.
 */
export function healthDescriptor(): Uint8Array {
  const file = create(FileDescriptorProtoSchema, {
    name: 'grpc/health/v1/health.proto',
    package: 'grpc.health.v1',
    syntax: 'proto3',
    messageType: [
      {
        name: 'HealthCheckRequest',
        field: [{ name: 'service', number: 1, label: Label.OPTIONAL, type: Type.STRING, jsonName: 'service' }],
      },
      {
        name: 'HealthCheckResponse',
        field: [
          {
            name: 'status',
            number: 1,
            label: Label.OPTIONAL,
            type: Type.ENUM,
            typeName: statusType,
            jsonName: 'status',
          },
        ],
        enumType: [{ name: 'ServingStatus', value: statuses.map((name, number) => ({ name, number })) }],
      },
    ],
    service: [
      {
        name: 'Health',
        method: [
          { name: 'Check', inputType: requestType, outputType: responseType },
          { name: 'Watch', inputType: requestType, outputType: responseType, serverStreaming: true },
        ],
      },
    ],
  })
  return toBinary(FileDescriptorProtoSchema, file)
}

const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
