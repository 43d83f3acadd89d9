import { writeFileSync } from 'node:fs'
import { startGateway } from '../test/gateway-process.ts'
import { runCommand } from '../test/run-command.ts'
import { readExamples } from './guide-examples.ts'

/**
 * Runs the first trade of README.md against a new gateway and draws it as a terminal: each call with the time at which
 * its result came, and the parts of the result that a reader looks for. Writes the picture that README.md shows.
 */
const file = new URL('../src/domain/trading/first-trade.svg', import.meta.url)
const [fontPx, linePx, marginPx, widthPx] = [14, 22, 20, 860]

type Line = { text: string; kind: 'call' | 'result'; seconds: number }

const lines = await record()
writeFileSync(file, drawn(lines))
console.log(lines.map(({ text }) => text).join('\n'))

/** Runs the example with the time after each of its calls. */
async function record(): Promise<Line[]> {
  const example = readExamples().find(({ id }) => id === 'start/rest')
  if (example === undefined) throw new Error('README.md has no example named rest.')
  await using gateway = await startGateway()
  const mark = (name: string, value: string) => `echo "@@ ${name} $(($(date +%s%N) / 1000000)) ${value}"`
  const script = example.code
    .replace(/^USER_TOKEN=[\s\S]*?\n\n/m, (call) => `${call}${mark('register', '$USER_TOKEN')}\n`)
    .replace(/^TOKEN=.*\n/m, (call) => `${call}${mark('session', '$TOKEN')}\n`)
    .replace(/^QUOTE=.*\n/m, (call) => `${call}${mark('quote', '$QUOTE')}\n`)
    .replace(
      /^curl -sS \$API\/multi-agent\/execute[\s\S]*?\n\n/m,
      (call) => `TRADE=$(${call.trim().replace(/ &&$/, '')})\n${mark('trade', '$TRADE')}\n`,
    )
    .replace(/^curl -sS "\$API\/positions.*$/m, (call) => `POSITION=$(${call})\n${mark('position', '$POSITION')}`)
  const { code: exit, output } = await runCommand('bash', ['-ec', `${mark('begin', '')}\n${script}`], {
    limitSeconds: 60,
    env: { ...process.env, HTTP_PORT: new URL(gateway.urls.http).port },
  })
  if (exit !== 0) throw new Error(output)
  const marks = new Map(
    [...output.matchAll(/^@@ (\w+) (\d+) (.*)$/gm)].map(([, name = '', at, value = '']) => [
      name,
      { at: Number(at), value },
    ]),
  )
  const began = marks.get('begin')?.at ?? 0
  const result = (name: string, show: (value: string) => string): Line => {
    const { at, value } = marks.get(name) ?? { at: 0, value: '' }
    return { text: show(value), kind: 'result', seconds: (at - began) / 1_000 }
  }
  const call = (text: string, before: string): Line => ({
    text: `$ ${text}`,
    kind: 'call',
    seconds: ((marks.get(before)?.at ?? 0) - began) / 1_000,
  })
  return [
    call('curl /auth/register    email, password', 'begin'),
    result('register', (token) => `user token  ${token.slice(0, 24)}…`),
    call('curl /auth/session', 'register'),
    result('session', (token) => `session token  ${token.slice(0, 24)}…`),
    call('curl /quote            0.5 WETH to USDC', 'session'),
    result('quote', (id) => `quote_id  ${id}`),
    call('curl /execute          confirm: true', 'quote'),
    result('trade', (text) => fieldsOf(JSON.parse(text), ['status', 'tx_hash', 'block_number'])),
    call('curl /positions        token_symbol=USDC', 'trade'),
    result('position', (text) => fieldsOf([JSON.parse(text)].flat()[0], ['token_symbol', 'quantity', 'value_usd'])),
  ]
}

function fieldsOf(record: Record<string, unknown>, names: readonly string[]): string {
  const found = names.filter((name) => record[name] !== undefined && record[name] !== null)
  return found.map((name) => `${name}  ${shortened(String(record[name]))}`).join('   ')
}

/** A hash is cut, so that the line ends before its time. */
function shortened(value: string): string {
  return value.length > 40 ? `${value.slice(0, 24)}…` : value
}

/** Lines appear at their recorded times; where nothing is animated, all are shown. */
function drawn(all: readonly Line[]): string {
  const rows = all.map(({ text, kind, seconds }, index) => {
    const y = marginPx * 2 + fontPx + index * linePx
    const delay = `style="animation-delay:${(1 + seconds).toFixed(2)}s"`
    return `<text class="${kind}" x="${marginPx}" y="${y}" ${delay}>${escaped(text)}<tspan class="time" x="${widthPx - marginPx}" text-anchor="end">${kind === 'result' ? `${seconds.toFixed(2)} s` : ''}</tspan></text>`
  })
  const height = marginPx * 3 + fontPx + all.length * linePx
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${widthPx} ${height}" width="${widthPx}" height="${height}" role="img" aria-label="The first trade, call by call">
<style>text{font:${fontPx}px ui-monospace,Menlo,Consolas,monospace;white-space:pre;animation:appear .2s both}.call{fill:#7ee787}.result{fill:#e6edf3}.time{fill:#8b949e}@keyframes appear{from{opacity:.25}}@media(prefers-reduced-motion:reduce){text{animation:none}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<circle cx="22" cy="18" r="5" fill="#ff5f57"/><circle cx="40" cy="18" r="5" fill="#febc2e"/><circle cx="58" cy="18" r="5" fill="#28c840"/>
${rows.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
