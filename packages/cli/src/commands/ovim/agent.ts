import { readFile } from 'node:fs/promises'
import { standardLog } from '@orrery/fleet'
import { clientFrom, createLogger, type KubeClient } from '@orrery/kube'
import { inClusterConfig } from '@orrery/kube/kubeconfig'
import type { LogLevel } from '@orrery/kube/log'
import type { LiveConfig, OvimAgentConfig } from '@orrery/ovim/agent'
import { Command, Option } from 'commander'
import { print } from '../../shared/print.js'
import { stopSignal } from '../../shared/stop-signal.js'

interface OvimAgentOptions {
  readonly config?: string
  readonly logLevel?: LogLevel
  readonly kubeconfig?: string
}

/** `orrery ovim agent`. */
export function ovimAgentCommand(): Command {
  return new Command('agent')
    .description('Run the OVIM spoke agent of a cluster: it manages the virtual machines that a hub asks for.')
    .option('--config <file>', 'configuration file in YAML (default: OVIM_CONFIG_FILE)')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: KUBECONFIG, or the service account of the pod)')
    .addOption(
      new Option('--log-level <level>', 'minimum severity of logged messages (default: OVIM_LOG_LEVEL)').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    )
    .addHelpText(
      'after',
      `
Environment variables:
  OVIM_CLUSTER_ID             name of this cluster (required)
  OVIM_HUB_ENDPOINT           URL of the OVIM hub (required)
  OVIM_HUB_TOKEN              token for the hub (required, or OVIM_HUB_TOKEN_FILE, or a certificate)
  OVIM_AGENT_ID               name of this agent (default: ovim-spoke- and the host name)
  OVIM_ZONE_ID                zone of the cluster (default: OVIM_CLUSTER_ID)
  OVIM_HUB_TLS_INSECURE       do not verify the certificate of the hub (default: false)
  OVIM_LOG_LEVEL              debug, info, warn or error (default: info)
  OVIM_METRICS_ENABLED        collect metrics of the cluster (default: true)
  OVIM_HEALTH_CHECK_INTERVAL  time between health checks (default: 30s)

Examples:
  OVIM_CLUSTER_ID=edge OVIM_HUB_ENDPOINT=https://hub:8443 OVIM_HUB_TOKEN=... orrery ovim agent
  orrery ovim agent --config agent.yaml --kubeconfig ./edge.kubeconfig`,
    )
    .action(run)
}

async function run(options: OvimAgentOptions, self: Command): Promise<void> {
  // Loaded on demand, so that other commands start faster.
  const { preflight, startOvimAgent } = await import('@orrery/ovim/agent')
  const config = await configOf(options, self.parent?.parent?.version())
  const { current } = config
  const log = createLogger({ level: 'debug', format: current.logging.format, component: 'ovim', write: standardLog() })
  const client = await clusterClient(current)
  try {
    await preflight(client, current, new AbortController().signal)
    const agent = await startOvimAgent({ config, spoke: client, log })
    const { agentId, clusterId, hub } = current
    const api = agent.apiPort === 0 ? '' : `, local API on port ${agent.apiPort}`
    print(`${self.name()} ${agentId} of cluster ${clusterId} works for ${hub.endpoint}${api}`)
    await stopSignal()
    log.info('stopping')
    await agent.stop()
  } finally {
    client.close()
  }
}

async function configOf(options: OvimAgentOptions, version: string | undefined): Promise<LiveConfig> {
  const name = options.config ?? process.env.OVIM_CONFIG_FILE ?? ''
  const { LiveConfig } = await import('@orrery/ovim/agent')
  const file = name === '' ? undefined : { name, text: await configText(name) }
  const environment = {
    ...process.env,
    ...(options.logLevel !== undefined && { OVIM_LOG_LEVEL: options.logLevel }),
    ...(options.kubeconfig !== undefined && { KUBECONFIG: options.kubeconfig }),
  }
  return new LiveConfig({
    environment,
    ...(file !== undefined && { file }),
    ...(version !== undefined && { version }),
  })
}

async function configText(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8')
  } catch (error) {
    throw new Error(`${name}: the configuration file cannot be read: ${(error as Error).message}`)
  }
}

async function clusterClient({ kubernetes }: OvimAgentConfig): Promise<KubeClient> {
  const { kubeconfig, inCluster, qps, burst } = kubernetes
  const pod = inCluster ? await inClusterConfig() : undefined
  if (inCluster && pod === undefined) {
    throw new Error('OVIM_K8S_IN_CLUSTER: there is no service account of a pod: unset it outside a cluster')
  }
  const rateLimit = { qps, burst }
  return clientFrom(pod ?? (kubeconfig === '' ? undefined : kubeconfig), { rateLimit, userAgent: 'ovim-spoke-agent' })
}
