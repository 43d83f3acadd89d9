import { wordsOfInspection } from '../../test/inspector.ts'

/** Warnings by their message, and lines that a healthy gateway never logs. */
export type LogFindings = { warnings: Map<string, number>; bad: string[] }

const error = 50

/** Reads a gateway's standard error, which must be JSON log lines only. */
export function readLog(text: string): LogFindings {
  const findings: LogFindings = { warnings: new Map(), bad: [] }
  for (const line of text.split('\n')) {
    if (line === '' || wordsOfInspection.test(line)) continue
    const entry = entryOf(line)
    if (entry === null || entry.level >= error || /unhandled/i.test(line)) findings.bad.push(line.slice(0, 500))
    else {
      const said = [entry.msg, entry.event, entry.reason].filter((part) => part !== undefined).join(': ')
      findings.warnings.set(said, (findings.warnings.get(said) ?? 0) + 1)
    }
  }
  return findings
}

function entryOf(line: string): { level: number; msg?: string; event?: string; reason?: string } | null {
  try {
    const entry = JSON.parse(line)
    return typeof entry?.level === 'number' ? entry : null
  } catch {
    return null
  }
}
