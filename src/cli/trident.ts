#!/usr/bin/env node
import { bridge } from './stdio-bridge.ts'

/** The commands of `npx --no-install trident`, each with what it does. */
const commands = {
  mcp: {
    does: 'speak MCP over standard input and output, for a client that starts its servers; TRIDENT_TOKEN, TRIDENT_URL',
    run: mcp,
  },
} as const

const [name = ''] = process.argv.slice(2)
if (Object.hasOwn(commands, name)) await commands[name as keyof typeof commands].run()
else
  fail(
    `Usage: trident <command>\n\n${Object.entries(commands)
      .map(([command, { does }]) => `  ${command}  ${does}`)
      .join('\n')}`,
  )

async function mcp(): Promise<void> {
  const { TRIDENT_TOKEN: token, TRIDENT_URL: url = 'http://127.0.0.1:8000' } = process.env
  if (!token) return fail('TRIDENT_TOKEN is not set. Start a session for the agent in the console, and set its token.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return fail('TRIDENT_URL is not an address such as https://gateway.example.')
  // The client has closed its end, and would read no error either.
  process.stdout.on('error', () => process.exit(0))
  await bridge({
    input: process.stdin,
    write: (line) => void process.stdout.write(line),
    endpoint: new URL(`${url.replace(/\/+$/, '').replace(/\/mcp$/, '')}/mcp`),
    token,
  })
}

/** Standard output belongs to the protocol. */
function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
