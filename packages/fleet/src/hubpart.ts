import { addOnConverters } from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { KubeClient, type Logger } from '@orrery/kube'
import { type FleetDirectory, HUB } from './directory.js'
import type { PartReport } from './messages.js'
import type { RunningPart } from './runningpart.js'

export interface HubPartOptions {
  readonly directory: FleetDirectory
  readonly port: number
  readonly log: Logger
  readonly report: (report: PartReport) => void
}

/** Starts an embedded hub: its API server, everything a hub needs in it, and its controllers. */
export async function startHubPart({ directory, port, log, report }: HubPartOptions): Promise<RunningPart> {
  const server = await startApiServer({
    dataDirectory: directory.data(HUB),
    port,
    log: log.child('apiserver'),
    converters: addOnConverters,
  })
  try {
    report({ type: 'serving', url: server.url, kubeconfig: server.kubeconfig(HUB) })
    return await startControllers(server)
  } catch (error) {
    await server.close()
    throw error
  }
}

async function startControllers(server: ApiServer): Promise<RunningPart> {
  const client = new KubeClient(server.client())
  await client.getJson('/readyz')
  return { url: server.url, close: () => server.close() }
}
