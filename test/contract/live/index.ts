import { writeFile } from 'node:fs/promises'
import { judge } from './judge.ts'
import { readOptions, usage } from './options.ts'
import { junitOf, summaryOf, tableOf } from './report.ts'

/** Judges a living gateway by the contract. Ends with 0 where it passes, 1 where not, 2 where it could not begin. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes('--help')) {
    console.log(usage)
    return args.length === 0 ? 2 : 0
  }
  const begun = Date.now()
  const options = readOptions(args)
  // What cannot be written is known before the minutes that it takes.
  if (options.junit !== null) await writeFile(options.junit, '')
  const results = await judge(options, (line) => console.log(line))
  if (options.junit !== null) await writeFile(options.junit, junitOf(results, options))
  console.log(`\n${tableOf(results)}\n`)
  const { cases, failed, rules, rulesNotJudged, passes } = summaryOf(results)
  const seconds = Math.round((Date.now() - begun) / 1_000)
  console.log(`${cases} cases in ${seconds} s, ${failed} failed; ${rulesNotJudged} of ${rules} rules not judged`)
  if (!passes && failed === 0) console.log('More than a tenth of the rules were not judged.')
  return passes ? 0 : 1
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
