// Statuses of 2 KB that agents publish, with the source of the works subscribed.
import { inRounds, ratioOf } from './compare.mjs'
import { bundleOf, createRequest, statusRequest, subscriptionOf } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { inFlight } from './load.mjs'
import { withServers } from './sides.mjs'
import { statusOf, tinyManifests } from './workload.mjs'

const SOURCE = 'bench'
const CONSUMER = 'statuses'
const WORKS = 200
const PUBLISHERS = 8

export function measureStatuses({ names, rounds, seconds, report }) {
  return withServers(names, async (servers) => {
    const prepared = new Map()
    for (const one of servers) prepared.set(one.name, await prepare(one))
    let reports = 0
    const figures = await inRounds(servers, rounds, async ({ name, server }) => {
      const { ids } = prepared.get(name)
      const agents = await Promise.all(
        Array.from({ length: PUBLISHERS }, () => GrpcConnection.open(server.agents.address)),
      )
      const publish = (index, lane) => {
        const id = ids[index % WORKS]
        return agents[lane].publish(statusRequest({ consumer: CONSUMER, id, status: statusOf(reports++) }))
      }
      const figure = await inFlight(PUBLISHERS, { seconds }, publish)
      for (const agent of agents) agent.close()
      return figure
    })
    report(ratioOf(`statuses of 2 KB in, ${PUBLISHERS} publishers`, figures, { times: 10, reference: 156 }))
    for (const { source } of prepared.values()) source.close()
  })
}

async function prepare({ server, createConsumer }) {
  await createConsumer(CONSUMER)
  const source = await GrpcConnection.open(server.sources)
  const seen = { count: 0 }
  await source.subscribe(subscriptionOf({ source: SOURCE }), (event) => {
    if (bundleOf(event) !== undefined) seen.count++
  })
  const ids = []
  await inFlight(8, { count: WORKS }, async (index) => {
    const request = { source: SOURCE, consumer: CONSUMER, name: `work-${index}`, data: tinyManifests(`work-${index}`) }
    const { id, bytes } = createRequest(request)
    ids.push(id)
    await source.publish(bytes)
  })
  return { source, ids, seen }
}
