import { createServer } from 'node:http'
import { listening, paths, positions, quote, type Serve } from './served.ts'

/** The baseline of HTTP: a node:http server that reads and writes JSON, and checks nothing. */
export const serve: Serve = async () => {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      JSON.parse(text)
    }
    const answer = JSON.stringify(request.url === paths.quote ? quote.example.output : positions.example.output)
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }
    response.writeHead(200, head).end(answer)
  })
  return { http: await listening(server) }
}
