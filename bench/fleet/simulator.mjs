// A process with the agents of many simulated clusters. The benchmark tells it what to do by messages.
import { readFileSync } from 'node:fs'
import { Agent } from './agent.mjs'
import { answerMessages } from './simulators.mjs'

const agents = new Map()
const [configFile, leaseSeconds] = process.argv.slice(2)
const hub = JSON.parse(readFileSync(configFile, 'utf8'))

answerMessages({
  /** Joins clusters, so many at a time. */
  async join({ names, parallel }) {
    const waiting = names.values()
    const joinNext = async () => {
      for (const name of waiting) {
        const agent = new Agent(name, hub, Number(leaseSeconds))
        agents.set(name, agent)
        await agent.join()
      }
    }
    await Promise.all(Array.from({ length: parallel }, joinNext))
  },
  stop({ names }) {
    for (const name of names) agents.get(name).stop()
  },
  async resume({ names }) {
    await Promise.all(names.map((name) => agents.get(name).resume()))
  },
  count() {
    const all = [...agents.values()]
    return {
      joined: all.filter(({ joined }) => joined).length,
      served: all.filter(({ served }) => served).length,
      worksReported: all.reduce((sum, agent) => sum + agent.worksReported, 0),
    }
  },
})
