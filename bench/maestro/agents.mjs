// Many agents on one server: their memory, and how soon all have their works again after the server was killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMebibytes } from '../work/processes.mjs'
import { besideGo } from './compare.mjs'
import { bundleOf, createRequest, resyncRequest, subscriptionOf } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { inFlight } from './load.mjs'
import { withServers } from './sides.mjs'
import { tinyManifests } from './workload.mjs'

const SOURCE = 'bench'
const RETRY_MILLISECONDS = 200
const PATIENCE_MILLISECONDS = 60_000
/** An early answer to a resync can be lost: agents ask again. */
const ASK_AGAIN_MILLISECONDS = 3_000

export async function measureAgents({ names, agents, report }) {
  const figures = new Map()
  for (const name of names) figures.set(name, await withServers([name], ([one]) => measure(one, agents)))
  const line = (what, key, unit, limit) => {
    const { value, detail } = besideGo(figures, key, unit)
    report({ name: `${agents} agents: ${what}`, value, unit, limit, detail })
  }
  line('memory of the server', 'memory', 'MiB', 400)
  line('subscribed and synced', 'synced', 's', 5)
  line('synced again after kill -9', 'resynced', 's', 5)
}

async function measure({ server, createConsumer }, count) {
  const source = await GrpcConnection.open(server.sources)
  const fleet = Array.from({ length: count }, (_, index) => new Agent(server.agents.address, `agent-${index}`))
  await inFlight(8, { count }, async (index) => {
    const { consumer } = fleet[index]
    await createConsumer(consumer)
    await source.publish(createRequest({ source: SOURCE, consumer, name: 'work', data: tinyManifests('work') }).bytes)
  })
  source.close()
  const synced = await timeUntilSynced(fleet)
  const memory = residentMebibytes(server.program.pid)
  const killed = performance.now()
  const [resynced] = await Promise.all([timeUntilSynced(fleet, killed), server.killAndStart()])
  for (const agent of fleet) agent.stop()
  return { synced, memory, resynced }
}

async function timeUntilSynced(fleet, since = performance.now()) {
  const patience = sleep(PATIENCE_MILLISECONDS, undefined, { ref: false })
  const all = Promise.all(fleet.map((agent) => agent.nextSync())).then(() => performance.now())
  const end = (await Promise.race([all, patience])) ?? Number.POSITIVE_INFINITY
  return (end - since) / 1_000
}

/** Connects, subscribes and asks for its works, again whenever it loses the server. */
class Agent {
  consumer
  #address
  #connection
  #synced
  #isStarted = false
  #isStopped = false

  constructor(address, consumer) {
    this.#address = address
    this.consumer = consumer
  }

  /** Resolves when it has received its work once more. */
  nextSync() {
    const synced = new Promise((resolve) => {
      this.#synced = resolve
    })
    if (!this.#isStarted) void this.#run()
    this.#isStarted = true
    return synced
  }

  stop() {
    this.#isStopped = true
    this.#connection?.close()
  }

  async #run() {
    while (!this.#isStopped) {
      try {
        this.#connection = await GrpcConnection.open(this.#address)
        await this.#sync(this.#connection)
        await this.#connection.closed
      } catch {
        this.#connection?.close()
        await sleep(RETRY_MILLISECONDS)
      }
    }
  }

  async #sync(connection) {
    let isSynced = false
    const done = () => {
      isSynced = true
      this.#synced()
    }
    await connection.subscribe(subscriptionOf({ cluster: this.consumer }), (event) => {
      if (bundleOf(event) !== undefined) done()
    })
    while (!isSynced && !this.#isStopped) {
      await connection.publish(resyncRequest(this.consumer))
      for (let waited = 0; !isSynced && waited < ASK_AGAIN_MILLISECONDS; waited += 50) await sleep(50)
    }
  }
}
