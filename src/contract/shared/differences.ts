/**
 * Differences that the protocols themselves force. The generators and the conformance tests read the first five; the others
 * concern transports, which have their own tests.
 */
export const differences = {
  unknownFields: {
    protocols: ['grpc'],
    why: 'protobuf readers skip unknown fields, which JSON refuses or names as ignored',
  },
  undecodable: {
    protocols: ['grpc'],
    why: 'a value of the wrong type cannot be encoded; bytes that cannot be decoded, or have a number beyond 2^53, are INVALID_ARGUMENT without a field',
  },
  emptyLists: {
    protocols: ['grpc'],
    why: 'protobuf cannot distinguish an empty list or map from an absent one; where a field has a default, both mean the default',
  },
  protoFields: {
    protocols: ['grpc'],
    why: 'a field of free JSON that is called __proto__ is skipped, while JSON validates it and then leaves it out',
  },
  oneOrMany: {
    protocols: ['grpc'],
    why: 'protobuf has only lists: one value and a list of one value are the same, and so are null and an empty list of topics',
  },
  fineTimestamps: {
    protocols: ['grpc'],
    why: 'a Timestamp has no offset and no precision: it is a moment in UTC, from the year 1 to 9999',
  },
  refusedSubscriptions: {
    protocols: ['trpc'],
    why: 'a tRPC subscription is refused by an event in a stream with status 200; its clients understand nothing else',
  },
  streamHeaders: {
    protocols: ['trpc'],
    why: 'a streaming mutation sends its headers before the gateway has set its own',
  },
  notGrpc: {
    protocols: ['grpc'],
    why: 'the gRPC library refuses a request that is not gRPC by itself: 415, without a body and a request id',
  },
} as const satisfies Record<string, { protocols: readonly ('rest' | 'trpc' | 'grpc')[]; why: string }>
