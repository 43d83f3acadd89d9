import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { protoPath } from 'grpc-health-check'
import { expect, test } from 'vitest'
import { serveGrpc } from '../../src/protocols/grpc/server.ts'
import { callers, exampleWorld } from './world.ts'

const buf = join(import.meta.dirname, '../../node_modules/.bin/buf')
const run = promisify(execFile)

const proto = `syntax = "proto3";
package test.v1;
import "google/protobuf/struct.proto";
service TestService { rpc BlockNumber(AnyRequest) returns (TextResponse); }
message AnyRequest { optional google.protobuf.Struct free = 1; }
message TextResponse { string value = 1; }
`

const text = (value: string) =>
  new BinaryWriter()
    .uint32((1 << 3) | 2)
    .string(value)
    .finish()

test('a generic client lists, describes and calls services by reflection alone, imports included', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reflection-'))
  await writeFile(join(folder, 'buf.yaml'), 'version: v2\n')
  await writeFile(join(folder, 'test.proto'), proto)
  await cp(protoPath, join(folder, 'grpc/health/v1/health.proto'), { recursive: true })
  await run(buf, ['build', '-o', 'test.binpb'], { cwd: folder })
  const server = await serveGrpc({
    ...exampleWorld(),
    callers,
    methods: {
      number: {
        id: 'chain.blockNumber',
        service: 'test.v1.TestService',
        method: 'BlockNumber',
        stream: false,
        decodeRequest: () => ({}),
        encodeResponse: (output) => Buffer.from(text(String(output))),
      },
    },
    descriptors: await readFile(join(folder, 'test.binpb')),
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    unexpected: () => undefined,
  })
  await rm(folder, { recursive: true })
  const url = `http://127.0.0.1:${server.port}`
  const curl = async (...more: string[]) =>
    (await run(buf, ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...more])).stdout.trim()
  try {
    const listed = await curl('--list-methods', '--reflect-protocol', 'grpc-v1alpha', url)
    expect(listed.split('\n').sort()).toEqual([
      'grpc.health.v1.Health/Check',
      'grpc.health.v1.Health/List',
      'grpc.health.v1.Health/Watch',
      'test.v1.TestService/BlockNumber',
    ])
    expect(JSON.parse(await curl('-d', '{"free":{"a":null}}', `${url}/test.v1.TestService/BlockNumber`))).toEqual({
      value: '0x1b4',
    })
    const health = await curl('-d', '{"service":"test.v1.TestService"}', `${url}/grpc.health.v1.Health/Check`)
    expect(JSON.parse(health)).toEqual({ status: 'SERVING' })
  } finally {
    await server.close()
  }
})
