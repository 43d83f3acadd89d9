/**
 * Where nature forces protocols apart. The generators and the conformance tests read the first five; the others are
 * about transports that only their own tests see.
 */
export const differences = {
  unknownFields: {
    protocols: ['grpc'],
    why: 'protobuf readers skip fields they do not know, where JSON refuses them',
  },
  undecodable: {
    protocols: ['grpc'],
    why: 'a value of the wrong type cannot be written as the message; bytes that do not decode, or hold a number beyond 2^53, are INVALID_ARGUMENT without a field',
  },
  emptyLists: {
    protocols: ['grpc'],
    why: 'protobuf cannot tell an empty list or map from an absent one; where a field has a default, both mean it',
  },
  protoFields: {
    protocols: ['grpc'],
    why: 'a field of free JSON that is called __proto__ is skipped, where JSON looks into it and then leaves it out',
  },
  oneOrMany: {
    protocols: ['grpc'],
    why: 'protobuf has lists alone: one value and a list of one are the same, and so are null and an empty list of topics',
  },
  fineTimestamps: {
    protocols: ['grpc'],
    why: 'a Timestamp has no offset and no spelling: what arrives is the moment in UTC, from the year 1 to 9999',
  },
  refusedSubscriptions: {
    protocols: ['trpc'],
    why: 'a subscription of tRPC is refused by an event in a stream with status 200; its clients understand nothing else',
  },
  streamHeaders: {
    protocols: ['trpc'],
    why: 'a streaming mutation sends its head before the gateway has decided on headers',
  },
  notGrpc: {
    protocols: ['grpc'],
    why: 'a request that is not gRPC at all is answered by its library: 415, without a body and a request id',
  },
} as const satisfies Record<string, { protocols: readonly ('rest' | 'trpc' | 'grpc')[]; why: string }>
