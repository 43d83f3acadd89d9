import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  completable,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequest,
  inputRequired,
  inputResponse,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Extension, ToolResult } from '../../src/protocols/mcp/serve.ts'

/** The tools, prompts and resources that the conformance suite of MCP calls by name. */
export const conformanceExtension: Extension = {
  get tools() {
    return Object.entries(tools).map(([name, [description]]) => ({ name, description, inputSchema }))
  },
  call: async (name, _given, context) => await tools[name]![1](context),
  extend(server) {
    // Neither list changes, so there are no changes to notify of.
    const fixed = { listChanged: false }
    server.server.registerCapabilities({ prompts: fixed, resources: fixed, completions: {}, logging: {} })
    addPrompts(server)
    addResources(server)
  },
}

const inputSchema = { type: 'object' as const }

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const audio = { type: 'audio' as const, data: wav, mimeType: 'audio/wav' }
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})
const said = (...content: CallToolResult['content']): CallToolResult => ({ content })

/** A form for a person, which the suite knows under one key. */
function form<Fields extends z.ZodObject>(key: string, message: string, fields: Fields) {
  return {
    requests: { [key]: inputRequired.elicit({ message, requestedSchema: fields }) },
    /** What the person sent; undefined where it is missing or wrong. */
    answer: ({ mcpReq }: ServerContext) => acceptedContent(mcpReq.inputResponses, key, fields),
  }
}

const nameForm = form('user_name', 'What is your name?', z.object({ name: z.string() }))
const confirmForm = form('confirm', 'Please confirm', z.object({ ok: z.boolean() }))
const firstForm = form('step1', 'Step 1: What is your name?', z.object({ name: z.string() }))
const secondForm = form('step2', 'Step 2: What is your favorite color?', z.object({ color: z.string() }))
const contextForm = form('user_context', 'What context should the prompt use?', z.object({ context: z.string() }))

const asked = (words: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens })

/** Signs what a tool remembers between its rounds, since clients carry it. */
const memory = createRequestStateCodec<string>({ key: randomBytes(32) })

/** What was remembered in the round before; undefined in the first round. Throws where anyone changed it. */
async function remembered(context: ServerContext): Promise<string | undefined> {
  const state = context.mcpReq.requestState<string>()
  if (state === undefined) return undefined
  return await memory.verify(state, context).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'requestState is not as it was sent')
  })
}

async function confirm(context: ServerContext): Promise<ToolResult> {
  const state = await remembered(context)
  if (state === 'confirm' && confirmForm.answer(context)?.ok === true) return said(text('state-ok'))
  return inputRequired({ inputRequests: confirmForm.requests, requestState: await memory.mint('confirm') })
}

async function inThreeRounds(context: ServerContext): Promise<ToolResult> {
  const state = await remembered(context)
  if (state === 'second' && secondForm.answer(context) !== undefined) return said(text('Both steps are done.'))
  const [round, { requests }] =
    state === 'first' && firstForm.answer(context) !== undefined
      ? (['second', secondForm] as const)
      : (['first', firstForm] as const)
  return inputRequired({ inputRequests: requests, requestState: await memory.mint(round) })
}

async function askForThree(context: ServerContext): Promise<ToolResult> {
  const { inputResponses } = context.mcpReq
  const isAnswered =
    (await remembered(context)) === 'three' &&
    nameForm.answer(context) !== undefined &&
    inputResponse(inputResponses, 'greeting').kind === 'sampling' &&
    inputResponse(inputResponses, 'client_roots').kind === 'roots'
  if (isAnswered) return said(text('All three were answered.'))
  return inputRequired({
    inputRequests: {
      ...nameForm.requests,
      greeting: asked('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await memory.mint('three'),
  })
}

async function askName(context: ServerContext): Promise<ToolResult> {
  const given = nameForm.answer(context)
  return given === undefined ? inputRequired({ inputRequests: nameForm.requests }) : said(text(`Hello, ${given.name}!`))
}

async function askModel({ mcpReq }: ServerContext): Promise<ToolResult> {
  const given = inputResponse(mcpReq.inputResponses, 'capital_question')
  if (given.kind === 'sampling') return said(text(JSON.stringify(given.result.content)))
  return inputRequired({ inputRequests: { capital_question: asked('What is the capital of France?', 100) } })
}

async function askRoots({ mcpReq }: ServerContext): Promise<ToolResult> {
  const given = inputResponse(mcpReq.inputResponses, 'client_roots')
  if (given.kind === 'roots') return said(text(given.roots.map(({ uri }) => uri).join(' ')))
  return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
}

/** The library's own type of it is empty. */
type Envelope = { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }

/** Asks by every way that the client says it has. */
async function askWhatIsPossible({ mcpReq }: ServerContext): Promise<ToolResult> {
  const { elicitation, sampling, roots } =
    (mcpReq.envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
  return inputRequired({
    inputRequests: {
      ...(elicitation === undefined ? {} : nameForm.requests),
      ...(sampling === undefined ? {} : { greeting: asked('Generate a greeting', 50) }),
      ...(roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    },
  })
}

async function tellProgress({ mcpReq }: ServerContext): Promise<ToolResult> {
  const progressToken = mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    await pause(20)
  }
  return said(text('The tool has run to its end.'))
}

async function log({ mcpReq }: ServerContext): Promise<ToolResult> {
  await mcpReq.log('info', 'The tool runs.')
  return said(text('The tool has logged.'))
}

/** A tool that always says the same. */
const says =
  (...content: CallToolResult['content']) =>
  async () =>
    said(...content)

/** Each tool's description and what it does. None takes arguments. */
const tools: Readonly<Record<string, [string, (context: ServerContext) => Promise<ToolResult>]>> = {
  test_simple_text: ['Says a text', says(text('This is a simple text response for testing.'))],
  test_image_content: ['Shows an image', says(image)],
  test_audio_content: ['Plays a sound', says(audio)],
  test_embedded_resource: [
    'Shows a resource',
    says(resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  ],
  test_multiple_content_types: [
    'Shows a text, an image and a resource',
    says(
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  ],
  test_error_handling: [
    'Fails',
    async () => ({ ...said(text('This tool intentionally returns an error for testing')), isError: true }),
  ],
  test_tool_with_progress: ['Reports its progress', tellProgress],
  test_logging_tool: ['Logs', log],
  test_missing_capability: ['Needs a model of the client', askModel],
  test_streaming_elicitation: ['Asks for a name', askName],
  test_input_required_result_elicitation: ['Asks for a name', askName],
  test_input_required_result_sampling: ['Asks a model of the client', askModel],
  test_input_required_result_list_roots: ['Asks for the roots of the client', askRoots],
  test_input_required_result_request_state: ['Asks to confirm', confirm],
  test_input_required_result_tampered_state: ['Asks to confirm', confirm],
  test_input_required_result_multiple_inputs: ['Asks for three things at once', askForThree],
  test_input_required_result_multi_round: ['Asks for two things one after the other', inThreeRounds],
  test_input_required_result_capabilities: ['Asks for whatever the client can answer', askWhatIsPossible],
}

const prompted = (...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
})

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A text' }, () =>
    prompted(text('This is a simple prompt for testing.')),
  )
  const word = () =>
    completable(z.string(), (begun) => ['paris', 'park', 'party'].filter((each) => each.startsWith(begun)))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A text of two words', argsSchema: z.object({ arg1: word(), arg2: word() }) },
    ({ arg1, arg2 }) => prompted(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      prompted(
        resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'An image' }, () =>
    prompted(image, text('Please analyze the image above.')),
  )
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for a context' }, (context) => {
    const given = contextForm.answer(context)
    return given === undefined
      ? inputRequired({ inputRequests: contextForm.requests })
      : prompted(text(`Use this context: ${given.context}`))
  })
}

function addResources(server: McpServer): void {
  const words = 'This is the content of the static text resource.'
  const plain = { description: 'A text', mimeType: 'text/plain' }
  server.registerResource('static text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: plain.mimeType, text: words }],
  }))
  const picture = { description: 'An image', mimeType: 'image/png' }
  server.registerResource('static binary', 'test://static-binary', picture, ({ href }) => ({
    contents: [{ uri: href, mimeType: picture.mimeType, blob: png }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const data = { description: 'Data of an id', mimeType: 'application/json' }
  server.registerResource('template', template, data, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: data.mimeType, text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
  }))
}
