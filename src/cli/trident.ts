#!/usr/bin/env node
// Runs by itself too: npx keeps a link to where the command of an earlier version was.
import { fileURLToPath } from 'node:url'
import { version } from '../contract/shared/version.ts'
import { moduleExtension } from '../kit/project.ts'
import { bridge } from './stdio-bridge.ts'

/** The commands of `npx --no-install trident`, each with what it does. */
const commands = {
  start: {
    does: 'start the gateway, with the settings of the environment; --print-config shows them',
    takes: ['--print-config'],
    run: () => start(),
  },
  mcp: {
    does: 'speak MCP over standard input and output, for a client that starts its servers; TRIDENT_TOKEN, TRIDENT_URL',
    takes: [],
    run: mcp,
  },
  sandbox: {
    does: 'serve the embedded world alone, to gateways that name it in SANDBOX_URL',
    takes: [],
    run: () => start('--sandbox'),
  },
} as const

const usage = [
  'Usage: trident <command>',
  '',
  ...Object.entries(commands).map(([command, { does }]) => `  ${command.padEnd(7)}  ${does}`),
].join('\n')

const [name = '', ...words] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : null
const unknown = words.find((word) => command?.takes.some((taken) => taken === word) !== true)
if (['--help', '-h', 'help'].includes(name) || words.some((word) => word === '--help' || word === '-h'))
  console.log(usage)
else if (name === '--version') console.log(version)
else if (command === null) fail(name === '' ? usage : `There is no command ${JSON.stringify(name)}.\n\n${usage}`)
else if (unknown !== undefined) fail(`${name} takes no ${JSON.stringify(unknown)}.\n\n${usage}`)
else await command.run()

/** Becomes the gateway: the same process, with the settings of memory that only a start can have, as in `npm start`. */
function start(...modes: readonly string[]): void {
  const main = fileURLToPath(new URL(`../main${moduleExtension}`, import.meta.url))
  const argv = [process.execPath, '--max-semi-space-size=4', main, ...modes, ...words]
  if (process.execve === undefined) fail(`This system cannot do that. Run: node ${argv.slice(1).join(' ')}`)
  else process.execve(process.execPath, argv, { MALLOC_ARENA_MAX: '1', ...process.env })
}

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
