import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire'

/** The stub of a message: how its bytes are read and written. */
export type Stub<Message> = {
  encode(message: Message): BinaryWriter
  decode(input: BinaryReader): Message
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a message to its last byte. Throws for surplus bytes and for text that is not UTF-8. */
export function decode<Message>(stub: Stub<Message>, bytes: Uint8Array): Message {
  const reader = new BinaryReader(bytes, (part) => text.decode(part))
  const message = stub.decode(reader)
  if (reader.pos !== reader.len) throw new RangeError('the message has surplus bytes')
  return message
}

export function encode<Message>(stub: Stub<Message>, message: Message): Buffer {
  const { buffer, byteOffset, byteLength } = stub.encode(message).finish()
  return Buffer.from(buffer, byteOffset, byteLength)
}
