// Measures Orrery's Maestro server, and the one in Go if it is built, in one run on one machine. See ../README.md.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { measureAgents } from './agents.mjs'
import { measureCreates } from './creates.mjs'
import { measureDeletes } from './deletes.mjs'
import { measureLatency } from './latency.mjs'
import { measureReads } from './reads.mjs'
import { serverNames } from './sides.mjs'
import { measureStatuses } from './statuses.mjs'

const MEASURES = {
  creates: measureCreates,
  statuses: measureStatuses,
  reads: measureReads,
  latency: measureLatency,
  agents: measureAgents,
  deletes: measureDeletes,
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string' },
    servers: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    works: { type: 'string', default: '6000' },
    agents: { type: 'string', default: '5000' },
    deletes: { type: 'string', default: '10000' },
  },
})

const names = serverNames(options.servers?.split(','))
const results = []
for (const name of options.only?.split(',') ?? Object.keys(MEASURES)) {
  await MEASURES[name]({
    names,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    works: Number(options.works),
    agents: Number(options.agents),
    deletes: Number(options.deletes),
    report(result) {
      console.error(describeResult(result))
      results.push(result)
    },
  })
}
console.log(table(results))
if (options.json !== undefined) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model }
  writeFileSync(options.json, `${JSON.stringify({ machine, results }, undefined, 2)}\n`)
}
process.exitCode = results.some(isMissed) ? 1 : 0
