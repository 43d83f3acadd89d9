import { fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'

/** Looks up descriptor files for reflection. A file comes with all its imports, as serialised FileDescriptorProtos. */
export type Descriptors = {
  byFile(name: string): Uint8Array[] | null
  /** By full name of a service, method, message, enum or extension. */
  bySymbol(symbol: string): Uint8Array[] | null
}

/** Reads a FileDescriptorSet, and further files without imports as serialised FileDescriptorProtos. */
export function readDescriptors(set: Uint8Array, more: readonly Uint8Array[]): Descriptors {
  const further = more.map((file) => fromBinary(FileDescriptorProtoSchema, file))
  const files = new Map([...fromBinary(FileDescriptorSetSchema, set).file, ...further].map((file) => [file.name, file]))
  const symbols = new Map(
    [...files.values()].flatMap((file) => symbolsOf(file).map((symbol) => [symbol, file.name] as const)),
  )

  /** The requested file first, then its imports, without which a client cannot link it. */
  function withImports(name: string, seen: Set<string>): FileDescriptorProto[] {
    const file = files.get(name)
    if (file === undefined || seen.has(name)) return []
    seen.add(name)
    return [file, ...file.dependency.flatMap((dependency) => withImports(dependency, seen))]
  }

  function byFile(name: string): Uint8Array[] | null {
    return files.has(name)
      ? withImports(name, new Set()).map((file) => toBinary(FileDescriptorProtoSchema, file))
      : null
  }

  return {
    byFile,
    bySymbol(symbol) {
      const file = symbols.get(symbol)
      return file === undefined ? null : byFile(file)
    },
  }
}

function symbolsOf(file: FileDescriptorProto): string[] {
  const scope = file.package === '' ? '' : `${file.package}.`
  const services = file.service.flatMap((service) => [
    service.name,
    ...service.method.map((method) => `${service.name}.${method.name}`),
  ])
  const plain = [...services, ...file.enumType.map(({ name }) => name), ...file.extension.map(({ name }) => name)]
  return [
    ...plain.map((name) => scope + name),
    ...file.messageType.flatMap((message) => messageSymbols(scope, message)),
  ]
}

function messageSymbols(scope: string, message: DescriptorProto): string[] {
  const name = scope + message.name
  const inner = [...message.enumType, ...message.field, ...message.oneofDecl].map((part) => `${name}.${part.name}`)
  return [name, ...inner, ...message.nestedType.flatMap((nested) => messageSymbols(`${name}.`, nested))]
}
