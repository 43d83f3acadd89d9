import { Metadata, type StatusObject } from '@grpc/grpc-js'
import type { Any } from '../../../generated/grpc/proto/google/protobuf/any.ts'
import {
  BadRequest,
  ErrorInfo,
  type MessageFns,
  RetryInfo,
} from '../../../generated/grpc/proto/google/rpc/error_details.ts'
import { Status } from '../../../generated/grpc/proto/google/rpc/status.ts'
import { errorDomain, errorTable } from '../../contract/shared/errors.ts'
import type { DomainError } from '../../domain/core/errors.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'

/** The trailer that carries the google.rpc.Status of an error. */
export const detailsKey = 'grpc-status-details-bin'

/** The status of an error: its code and message, and in the trailers the same with google.rpc details. */
export function statusOf(error: DomainError, headers: ResponseHeaders, requestId: string): StatusObject {
  const metadata = metadataOf(headers)
  metadata.set(detailsKey, Buffer.from(richStatus(error, requestId)))
  return { code: errorTable[error.code].grpc, details: error.message, metadata }
}

export function metadataOf(headers: ResponseHeaders): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

/** google.rpc.Status with ErrorInfo, with BadRequest where fields are invalid, and with RetryInfo where a time is known. */
function richStatus({ code, message, details }: DomainError, requestId: string): Uint8Array {
  const { violations, retryAfterSeconds, metadata } = details
  const info = { reason: code, domain: errorDomain, metadata: { ...metadata, request_id: requestId } }
  const all = [detail('ErrorInfo', ErrorInfo, info)]
  if (violations !== undefined) {
    const fields = violations.map(({ path, message, code }) => ({ field: path, description: message, reason: code }))
    all.push(detail('BadRequest', BadRequest, { field_violations: fields }))
  }
  if (retryAfterSeconds != null) {
    const delay = { seconds: BigInt(Math.ceil(retryAfterSeconds)), nanos: 0 }
    all.push(detail('RetryInfo', RetryInfo, { retry_delay: delay }))
  }
  return Status.encode({ code: errorTable[code].grpc, message, details: all }).finish()
}

function detail<T>(type: string, message: MessageFns<T>, value: T): Any {
  return {
    type_url: `type.googleapis.com/google.rpc.${type}`,
    value: Buffer.from(message.encode(value).finish()),
  }
}
