import { startAgent } from '@orrery/agent'
import { startApiServer } from '@orrery/apiserver'
import { KubeClient, type Logger } from '@orrery/kube'
import type { FleetDirectory } from './directory.js'
import type { PartReport } from './messages.js'
import { closing, type RunningPart } from './runningpart.js'
import { installSpoke } from './spoke.js'

export interface ClusterPartOptions {
  readonly directory: FleetDirectory
  readonly name: string
  readonly port: number
  /** Resolves with the kubeconfig to join the hub with: when the hub is there. */
  readonly bootstrap: Promise<string>
  readonly log: Logger
  readonly report: (report: PartReport) => void
}

/** Starts an embedded cluster: its API server, its node, and the agent that joins it to the hub. */
export async function startClusterPart(options: ClusterPartOptions): Promise<RunningPart> {
  const { directory, name, port, bootstrap, log, report } = options
  return closing(async (onClose) => {
    const server = await startApiServer({ dataDirectory: directory.data(name), port, log: log.child('apiserver') })
    onClose(() => server.close())
    const client = new KubeClient(server.client(), { fieldManager: 'orrery-agent' })
    report({ type: 'serving', url: server.url, kubeconfig: server.kubeconfig(name) })
    await installSpoke(client)
    const kubeconfigs = [await bootstrap]
    const agent = await startAgent({
      spoke: client,
      clusterName: name,
      bootstrap: { kubeconfigs },
      log: log.child('agent'),
    })
    onClose(() => agent.close())
    report({ type: 'phase', phase: 'joining' })
    const leaving = new AbortController()
    onClose(() => leaving.abort())
    agent.whenJoined(leaving.signal).then(
      () => report({ type: 'phase', phase: 'joined' }),
      // It stops before it got that far.
      () => undefined,
    )
    return server.url
  })
}
