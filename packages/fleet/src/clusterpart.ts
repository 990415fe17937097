import { startApiServer } from '@orrery/apiserver'
import type { Logger } from '@orrery/kube'
import type { FleetDirectory } from './directory.js'
import type { PartReport } from './messages.js'
import type { RunningPart } from './runningpart.js'

export interface ClusterPartOptions {
  readonly directory: FleetDirectory
  readonly name: string
  readonly port: number
  /** The kubeconfig to join the hub with; may take until the hub is there. */
  readonly bootstrap: Promise<string>
  readonly log: Logger
  readonly report: (report: PartReport) => void
}

/** Starts an embedded cluster: its API server, its node, and the agent that joins it to the hub. */
export async function startClusterPart(options: ClusterPartOptions): Promise<RunningPart> {
  const { directory, name, port, log, report } = options
  const server = await startApiServer({
    dataDirectory: directory.data(name),
    port,
    log: log.child('apiserver'),
  })
  report({ type: 'serving', url: server.url, kubeconfig: server.kubeconfig(name) })
  return { url: server.url, close: () => server.close() }
}
