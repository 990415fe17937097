import { test } from 'node:test'
import { startOrreryWorkAgent } from './maestro/orrery-agent.js'
import { whySkipped } from './maestro/programs.js'
import { startGoMaestro } from './maestro/servers.js'
import { runOverGrpc, runOverMqtt, startGoSource } from './maestro/transports.js'
import { startGoWorkAgent } from './maestro/work-agent.js'

const skip = whySkipped()
const AGENTS = [
  ["OCM's work agent", startGoWorkAgent],
  ["Orrery's agent", startOrreryWorkAgent],
] as const

for (const [name, agent] of AGENTS) {
  const parts = { server: startGoMaestro, agent, source: startGoSource }
  test(`interop: ${name} with Maestro's server over gRPC`, { skip }, (t) => runOverGrpc(t, parts))
  test(`interop: ${name} with Maestro's server over MQTT`, { skip }, (t) => runOverMqtt(t, parts))
}
