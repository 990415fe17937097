// Measures the cost of importing the package: time and resident memory, each in its own process.
import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { describeResult } from '../apiserver/report.mjs'

const ROUNDS = 9
const ENTRY = new URL('../../packages/kube/dist/index.js', import.meta.url).href

const PROGRAM = `
  const before = process.memoryUsage().rss
  const start = performance.now()
  await import(${JSON.stringify(ENTRY)})
  const milliseconds = performance.now() - start
  console.log(JSON.stringify({ milliseconds, mebibytes: (process.memoryUsage().rss - before) / 2 ** 20 }))
`

export function measureImport({ rounds = ROUNDS } = {}) {
  const runs = Array.from({ length: rounds }, () => {
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' }))
  })
  const median = (of) => runs.map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)]
  const detail = `median of ${rounds} processes`
  return [
    { name: 'import of the package', value: median((run) => run.milliseconds), unit: 'ms', limit: 60, detail },
    { name: 'memory of the import', value: median((run) => run.mebibytes), unit: 'MiB', limit: 15, detail },
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const result of measureImport()) console.log(describeResult(result))
}
