import { readFileSync } from 'node:fs'

/** The guides in reading order: the name in their address, and their file, relative to the project's folder. */
export const guideFiles = {
  start: 'README.md',
  console: 'src/console/README.md',
  trading: 'src/domain/trading/README.md',
  live: 'src/domain/live/README.md',
  metrics: 'src/domain/metrics/README.md',
  accounts: 'src/domain/auth/README.md',
  wallets: 'src/domain/wallets/README.md',
  protocols: 'src/protocols/README.md',
  rules: 'src/contract/README.md',
  rest: 'src/protocols/rest/README.md',
  trpc: 'src/protocols/trpc/README.md',
  grpc: 'src/protocols/grpc/README.md',
  mcp: 'src/protocols/mcp/README.md',
  chat: 'src/domain/chat/README.md',
  questions: 'src/domain/chat/questions/README.md',
  research: 'src/domain/tools/README.md',
  bridge: 'src/opstack/README.md',
  sandbox: 'src/sandbox/README.md',
  market: 'src/sandbox/market/README.md',
  settings: 'src/settings/README.md',
  nodes: 'src/adapters/node/README.md',
  deployment: 'scripts/deploy/README.md',
  operations: 'src/observe/README.md',
  source: 'src/README.md',
  contributing: 'src/CONTRIBUTING.md',
  tests: 'test/README.md',
  contract: 'scripts/contract-changes/README.md',
  speed: 'scripts/bench/README.md',
} as const

export type Guide = {
  name: string
  file: string
  /** The text of its first heading. */
  title: string
  /** The first paragraph of the guide, on one line. */
  summary: string
  /** The text of the guide without HTML comments, which are marks for scripts. */
  markdown: string
}

/** Reads every guide below the project's folder. Throws where one is missing or does not begin with a heading and a paragraph. */
export function readGuides(root: URL): Guide[] {
  return Object.entries(guideFiles).map(([name, file]) => {
    const markdown = readFileSync(new URL(file, root), 'utf8').replace(/^<!--.*-->\n/gm, '')
    const [, title, paragraph] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown) ?? []
    if (title === undefined || paragraph === undefined)
      throw new Error(`${file} must begin with a heading and a paragraph.`)
    return { name, file, title, summary: paragraph.trim().replace(/\s+/g, ' '), markdown }
  })
}
