import { sampleAddresses } from '../../../src/contract/shared/samples.ts'
import { procedureKind } from '../model.ts'
import { propertyKey, quoted } from '../names.ts'
import { type Bound, tokenName } from './bound.ts'
import { literal, type Style } from './literal.ts'

const typescript: Style = {
  text: quoted,
  key: propertyKey,
  pad: ' ',
  indent: '  ',
  end: ',',
  true: 'true',
  false: 'false',
  null: 'null',
}

/** A call in TypeScript, by the client of tRPC and the types of the contract. */
export function trpcSample({ id, operation }: Bound): string {
  const kind = procedureKind(operation)
  const token = tokenName(operation)
  const headers = token === null ? '' : `{ authorization: \`Bearer \${process.env.${token}}\` }`
  const input = literal(operation.example.input, typescript)
  const call = (verb: string) => `trident.${id}.${verb}(${input}`
  const url = `url: ${quoted(`${sampleAddresses.http}/trpc`)}`
  const link = (name: string) => `${name}({ ${url}${headers === '' ? '' : ', headers'} })`
  if (kind === 'subscription')
    return program(headers, 'httpSubscriptionLink', {
      imports: "import { EventSource } from 'eventsource'\n",
      link: headers === '' ? `httpSubscriptionLink({ ${url}, EventSource })` : linkWithHeaders(url),
      call: `${call('subscribe')}, {\n  onData: console.log,\n  onError: console.error,\n})`,
    })
  if (kind === 'streamingMutation')
    return program(headers, 'httpBatchStreamLink', {
      link: link('httpBatchStreamLink'),
      call: `const events = await ${call('mutate')})\nfor await (const event of events) console.log(event)`,
    })
  return program(headers, 'httpLink', {
    link: link('httpLink'),
    call: `const answer = await ${call(kind === 'query' ? 'query' : 'mutate')})\nconsole.log(answer)`,
  })
}

/** A subscription is an EventSource, which takes headers by its own fetch. */
function linkWithHeaders(url: string): string {
  return `
    httpSubscriptionLink({
      ${url},
      EventSource,
      eventSourceOptions: {
        fetch: (address, init) => fetch(address, { ...init, headers: { ...init.headers, ...headers } }),
      },
    }),
  `
}

function program(
  headers: string,
  linkName: string,
  { imports = '', link, call }: { imports?: string; link: string; call: string },
): string {
  return `import { createTRPCClient, ${linkName} } from '@trpc/client'
${imports}import type { AppRouter } from 'trident-gateway/client'

${headers === '' ? '' : `const headers = ${headers}\n`}const trident = createTRPCClient<AppRouter>({
  links: [${link}],
})

${call}`
}
