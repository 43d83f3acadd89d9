import { sampleAddresses } from '../../../src/contract/shared/samples.ts'
import { type Field, type FieldType, type Message, type Scalar, tellsZero } from '../message.ts'
import { enumValueName, pascalCase } from '../names.ts'
import { type Bound, tokenName } from './bound.ts'
import { doubleQuoted } from './literal.ts'

/** A call in Go, by the stubs that protoc-gen-go makes. */
export function goSample({ group, name, operation, request, stream }: Bound): string {
  const token = tokenName(operation)
  const context = token === null ? 'context.Background()' : 'ctx'
  const call = `pb.New${pascalCase(group)}ServiceClient(connection).${name}(${context}, ${messageText(request, operation.example.input, 1)})`
  const body = [
    `connection, err := grpc.NewClient(${doubleQuoted(sampleAddresses.grpc)}, grpc.WithTransportCredentials(insecure.NewCredentials()))`,
    check,
    'defer connection.Close()',
    ...(token === null
      ? []
      : [
          `ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+os.Getenv("${token}"))`,
        ]),
    `${stream ? 'stream' : 'answer'}, err := ${call}`,
    check,
    ...(stream ? [reading] : ['fmt.Println(answer)']),
  ].join('\n\t')
  return `package main\n\nimport (\n${importsOf(body)}\n)\n\nfunc main() {\n\t${body}\n}`
}

const check = 'if err != nil {\n\t\tlog.Fatal(err)\n\t}'

const reading = `for {
		event, err := stream.Recv()
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event)
	}`

/** Packages by the name under which the code uses them. */
const packages: [name: string, path: string][] = [
  ['context', 'context'],
  ['fmt', 'fmt'],
  ['io', 'io'],
  ['log', 'log'],
  ['os', 'os'],
  ['time', 'time'],
  ['grpc', 'google.golang.org/grpc'],
  ['insecure', 'google.golang.org/grpc/credentials/insecure'],
  ['metadata', 'google.golang.org/grpc/metadata'],
  ['proto', 'google.golang.org/protobuf/proto'],
  ['structpb', 'google.golang.org/protobuf/types/known/structpb'],
  ['timestamppb', 'google.golang.org/protobuf/types/known/timestamppb'],
]

function importsOf(body: string): string {
  const used = packages.filter(([name]) => new RegExp(`\\b${name}\\.`).test(body))
  const lines = used.map(([, path]) => `\t"${path}"`)
  const own = lines.filter((line) => !line.includes('.'))
  return [...own, '', ...lines.filter((line) => line.includes('.')), '', '\tpb "trident-client/trident/v1"'].join('\n')
}

/** A message with the fields of a value of the contract, each on a line. */
function messageText(message: Message, value: object, depth: number): string {
  const fields = message.fields.flatMap((field) => {
    const part: unknown = (value as Record<string, unknown>)[field.json]
    return part === undefined ? [] : [`${pascalCase(field.name)}: ${fieldText(message, field, part, depth + 1)},`]
  })
  const indent = '\t'.repeat(depth + 1)
  const inner = fields.length === 0 ? '' : `\n${indent}${fields.join(`\n${indent}`)}\n${'\t'.repeat(depth)}`
  return `&pb.${message.name}{${inner}}`
}

function fieldText(message: Message, field: Field, value: unknown, depth: number): string {
  const { type, list, name } = field
  if (list === 'none') {
    const text = valueText(type, value, depth)
    return type.kind === 'scalar' && tellsZero(message, field)
      ? `proto.${pascalCase(goName(type.name))}(${text})`
      : text
  }
  if (list !== 'plain' || !Array.isArray(value))
    throw new Error(`${message.name}.${name}: Go samples write no such list.`)
  return `[]${typeText(type)}{${value.map((item) => valueText(type, item, depth)).join(', ')}}`
}

function typeText(type: FieldType): string {
  if (type.kind === 'message') return `*pb.${type.message.name}`
  if (type.kind === 'enum') return `pb.${type.set.name}`
  if (type.kind === 'scalar') return goName(type.name)
  throw new Error(`Go samples write no list of ${type.kind}.`)
}

function goName(scalar: Scalar): string {
  return scalar === 'double' ? 'float64' : scalar
}

function valueText(type: FieldType, value: unknown, depth: number): string {
  if (type.kind === 'message') return messageText(type.message, value as object, depth)
  if (type.kind === 'enum') return `pb.${type.set.name}_${enumValueName(type.set.name, String(value))}`
  if (type.kind === 'timestamp') return timeText(new Date(String(value)))
  if (type.kind === 'struct') return `&structpb.Struct{Fields: ${structText(value as object)}}`
  if (type.kind === 'scalar') return typeof value === 'string' ? doubleQuoted(value) : String(value)
  throw new Error(`Go samples write no ${type.kind}.`)
}

function timeText(time: Date): string {
  const parts = [
    time.getUTCFullYear(),
    time.getUTCMonth() + 1,
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
    time.getUTCMilliseconds() * 1_000_000,
  ]
  return `timestamppb.New(time.Date(${parts.join(', ')}, time.UTC))`
}

/** The fields of a struct of protobuf. Its values are made by functions, which fail for no value of JSON. */
function structText(value: object): string {
  const entries = Object.entries(value).map(([name, part]) => `${doubleQuoted(name)}: ${structValue(part)}`)
  return `map[string]*structpb.Value{${entries.join(', ')}}`
}

function structValue(value: unknown): string {
  if (typeof value === 'string') return `structpb.NewStringValue(${doubleQuoted(value)})`
  if (typeof value === 'number') return `structpb.NewNumberValue(${value})`
  if (typeof value === 'boolean') return `structpb.NewBoolValue(${value})`
  if (value === null) return 'structpb.NewNullValue()'
  if (!Array.isArray(value)) return `structpb.NewStructValue(&structpb.Struct{Fields: ${structText(value as object)}})`
  return `structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{${value.map(structValue).join(', ')}}})`
}
