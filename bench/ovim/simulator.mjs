// A process with many simulated spoke agents. The benchmark tells it what to do by messages.
import { readFileSync } from 'node:fs'
import { answerMessages } from '../fleet/simulators.mjs'
import { Agent } from './agent.mjs'

const [hubFile, heartbeatSeconds] = process.argv.slice(2)
const hub = JSON.parse(readFileSync(hubFile, 'utf8'))
const agents = []

answerMessages({
  async start({ identities }) {
    const added = identities.map((identity) => new Agent(hub, identity, Number(heartbeatSeconds) * 1_000))
    agents.push(...added)
    await Promise.all(added.map((agent) => agent.start()))
  },
  /** The times at which operations arrived, by their id. */
  received: () => Object.fromEntries(agents.flatMap(({ received }) => [...received])),
  count() {
    const times = agents.flatMap((agent) => [...agent.executed.values()])
    const sum = (field) => agents.reduce((total, agent) => total + agent[field], 0)
    return {
      executed: times.length,
      repeated: times.filter((count) => count > 1).length,
      reports: sum('reports'),
      failures: sum('failures'),
    }
  },
  /** The durations of the reports since the last call. */
  reportMilliseconds: () => agents.flatMap((agent) => agent.reportMilliseconds.splice(0)),
})
