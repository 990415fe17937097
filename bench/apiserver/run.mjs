// Measures the API server against its limits, in one run on one machine. See ../README.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureFanOut } from './fanout.mjs'
import { measureMemory } from './memory.mjs'
import { describeResult, isMissed, table } from './report.mjs'
import { measureStartUp } from './startup.mjs'
import { measureThroughput } from './throughput.mjs'

const MEASURES = {
  startup: measureStartUp,
  memory: measureMemory,
  fanout: measureFanOut,
  throughput: measureThroughput,
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    writes: { type: 'string', default: '200' },
  },
})

const chosen = options.only?.split(',') ?? Object.keys(MEASURES)
const results = []
for (const name of chosen) {
  const directory = mkdtempSync(join(options.dir, 'orrery-bench-'))
  try {
    const log = (result) => console.error(describeResult(result))
    const found = await MEASURES[name]({
      directory,
      rounds: Number(options.rounds),
      milliseconds: Number(options.seconds) * 1000,
      writes: Number(options.writes),
      log,
    })
    if (name !== 'throughput') found.forEach(log)
    results.push(...found)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

console.log(table(results))
if (options.json !== undefined) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model }
  writeFileSync(options.json, `${JSON.stringify({ machine, results }, undefined, 2)}\n`)
}
process.exitCode = results.some(isMissed) ? 1 : 0
