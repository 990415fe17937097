// Creates of works by gRPC publish, with the driver as the source.
import { inRounds, ratioOf } from './compare.mjs'
import { createRequest } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { inFlight } from './load.mjs'
import { withServers } from './sides.mjs'
import { LARGE, manifestsOf, SMALL } from './workload.mjs'

const SOURCE = 'bench'
const CONSUMER = 'creates'
const LOADS = [
  { size: SMALL, width: 8, times: 5, reference: 391 },
  { size: LARGE, width: 8, times: 5, reference: 192 },
]

export function measureCreates({ names, rounds, seconds, report }) {
  return withServers(names, async (servers) => {
    for (const { createConsumer } of servers) await createConsumer(CONSUMER)
    let created = 0
    for (const { size, width, times, reference } of LOADS) {
      const figures = await inRounds(servers, rounds, async ({ server }) => {
        const connection = await GrpcConnection.open(server.sources)
        const publish = () => {
          const name = `work-${created++}`
          const data = manifestsOf(name, size)
          return connection.publish(createRequest({ source: SOURCE, consumer: CONSUMER, name, data }).bytes)
        }
        const figure = await inFlight(width, { seconds }, publish)
        connection.close()
        return figure
      })
      const name = `creates of ${(size / 1_000).toFixed(0)} KB, ${width} in flight`
      report(ratioOf(name, figures, { times, reference }))
    }
  })
}
