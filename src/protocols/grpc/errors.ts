import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { errorTable } from '../../contract/shared/errors.ts'
import type { DomainError } from '../../domain/core/errors.ts'
import type { AnswerHeaders } from '../../gateway/request.ts'

/** Where a status has its google.rpc.Status. */
export const detailsKey = 'grpc-status-details-bin'

/** The status of a failure: code, sentence, and in the trailers the same as google.rpc details. */
export function statusOf(error: DomainError, headers: AnswerHeaders, requestId: string): StatusObject {
  const metadata = metadataOf(headers)
  metadata.set(detailsKey, Buffer.from(richStatus(error, requestId)))
  return { code: errorTable[error.code].grpc, details: error.message, metadata }
}

export function metadataOf(headers: AnswerHeaders): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

/** google.rpc.Status with ErrorInfo, and BadRequest and RetryInfo where they say something. */
function richStatus(error: DomainError, requestId: string): Uint8Array {
  const { violations, retryAfterSeconds, metadata } = error.details
  const status = new BinaryWriter().uint32(tag(1, 0)).int32(errorTable[error.code].grpc)
  text(status, 2, error.message)
  detail(status, 'ErrorInfo', errorInfo(error.code, { ...metadata, request_id: requestId }))
  if (violations !== undefined) detail(status, 'BadRequest', badRequest(violations))
  if (retryAfterSeconds != null) detail(status, 'RetryInfo', retryInfo(retryAfterSeconds))
  return status.finish()
}

function errorInfo(reason: string, metadata: Record<string, string>): Uint8Array {
  const info = new BinaryWriter()
  text(info, 1, reason)
  text(info, 2, 'trident')
  for (const [key, value] of Object.entries(metadata)) {
    const entry = new BinaryWriter()
    text(entry, 1, key)
    text(entry, 2, value)
    bytes(info, 3, entry.finish())
  }
  return info.finish()
}

function badRequest(violations: readonly { path: string; message: string; code: string }[]): Uint8Array {
  const request = new BinaryWriter()
  for (const { path, message, code } of violations) {
    const violation = new BinaryWriter()
    text(violation, 1, path)
    text(violation, 2, message)
    text(violation, 3, code)
    bytes(request, 1, violation.finish())
  }
  return request.finish()
}

function retryInfo(seconds: number): Uint8Array {
  const duration = new BinaryWriter().uint32(tag(1, 0)).int64(Math.ceil(seconds)).finish()
  const info = new BinaryWriter()
  bytes(info, 1, duration)
  return info.finish()
}

function detail(status: BinaryWriter, type: string, value: Uint8Array): void {
  const any = new BinaryWriter()
  text(any, 1, `type.googleapis.com/google.rpc.${type}`)
  bytes(any, 2, value)
  bytes(status, 3, any.finish())
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.uint32(tag(field, 2)).string(value)
}

function bytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  writer.uint32(tag(field, 2)).bytes(value)
}

function tag(field: number, wireType: 0 | 2): number {
  return (field << 3) | wireType
}
