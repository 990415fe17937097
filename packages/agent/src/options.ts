import { AGENT_ANNOTATION_PREFIX, AGENT_NAMESPACE, BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET } from '@orrery/api'
import { isDNS1123Label } from '@orrery/kinds/values'
import type { KubeClient, Logger } from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { connect } from '@orrery/kube/transport'
import type { AgentPart } from './context.js'
import { type AgentFeatures, DEFAULT_AGENT_FEATURES } from './features.js'
import type { WorkOptions } from './work/options.js'

/**
 * The ways in: kubeconfigs, which are kept in Secrets on the cluster from then on, or the names of the Secrets that
 * hold them already. More than one needs the feature MultipleHubs; the first that lets the cluster in is taken.
 */
export type BootstrapSource = { readonly kubeconfigs: readonly string[] } | { readonly secretNames: readonly string[] }

export interface AgentOptions {
  /** The cluster that is managed, where the agent also keeps its Secrets. */
  readonly spoke: KubeClient
  /** Default: the Secret `bootstrap-hub-kubeconfig`. */
  readonly bootstrap?: BootstrapSource
  /** The name of the cluster on the hub. Default: the one it has already, else a random one. */
  readonly clusterName?: string
  /** Tells agents of one cluster apart. Default: the one it has already, else a random one. */
  readonly agentName?: string
  /** Where the agent keeps its Secrets. Default `open-cluster-management-agent`. */
  readonly namespace?: string
  /** A directory that gets the identity as files, for other programs. Default none. */
  readonly hubKubeconfigDirectory?: string
  /**
   * How long certificates are asked for, at least 3,600. Kept beside kubeconfigs that are handed over, for later starts.
   * Default: as was said before, else as long as the hub gives.
   */
  readonly certificateSeconds?: number
  /** Join even though another agent is alive under the name of the cluster. Default false. */
  readonly takeOver?: boolean
  /**
   * At the start, come back to a hub that does not know the cluster any more, even if it may have been detached there.
   * Default: only where it is plain that the hub was restored from an older backup.
   */
  readonly rejoin?: boolean
  /** Where the hub reaches the API of the cluster, with `https`. Default nowhere. */
  readonly externalServerUrls?: readonly string[]
  /** PEM of the certificates that the API of the cluster is trusted by there. */
  readonly externalServerCa?: string
  /** For the ManagedCluster; only those that begin with `agent.open-cluster-management.io` count. */
  readonly clusterAnnotations?: Readonly<Record<string, string>>
  /** How often the API server of the cluster is asked whether it is well, in milliseconds. Default 60,000. */
  readonly healthCheckPeriod?: number
  /** How many claims are reported besides the reserved ones. Default 20. */
  readonly maxCustomClaims?: number
  /** Claims whose names end so are reserved ones, too. Default none. */
  readonly reservedClaimSuffixes?: readonly string[]
  /** With several hubs: how long one may be out of reach before another is tried, in milliseconds. Default 600,000. */
  readonly hubTimeout?: number
  /**
   * For how many seconds, after this agent is stopped, the hub waits for another agent of the cluster before it reports the
   * cluster as stopped. Default 5: enough for a restart.
   */
  readonly handoverSeconds?: number
  readonly features?: Partial<AgentFeatures>
  readonly work?: WorkOptions
  /** The parts that run besides registration. Default: `DEFAULT_PARTS`. */
  readonly parts?: readonly AgentPart[]
  /** How hubs are reached. Default: over the network. */
  readonly connectHub?: (config: ClientConfig) => Transport
  readonly clock?: Clock
  readonly log?: Logger
  /** Where controllers and works are counted. Default nowhere. */
  readonly metrics?: MetricRegistry
  /** From 0 to 1: spreads waiting times. Default `Math.random`. */
  readonly random?: () => number
}

/** The options with every default filled in, and checked. */
export interface ResolvedAgentOptions {
  readonly spoke: KubeClient
  readonly bootstrapSecrets: readonly string[]
  readonly hubSecret: string
  readonly clusterName: string | undefined
  readonly agentName: string | undefined
  readonly namespace: string
  readonly hubKubeconfigDirectory: string | undefined
  readonly certificateSeconds: number | undefined
  readonly takeOver: boolean
  readonly rejoin: boolean
  readonly externalServerUrls: readonly string[]
  readonly externalServerCa: string | undefined
  readonly clusterAnnotations: Readonly<Record<string, string>>
  readonly healthCheckPeriod: number
  readonly maxCustomClaims: number
  readonly reservedClaimSuffixes: readonly string[]
  readonly hubTimeout: number
  readonly handoverSeconds: number
  readonly features: AgentFeatures
  readonly work: WorkOptions
  readonly parts: readonly AgentPart[]
  readonly connectHub: (config: ClientConfig) => Transport
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
  readonly random: () => number
}

const MINUTE = 60_000
const HANDOVER_SECONDS = 5
/** No Kubernetes gives shorter ones. */
export const MIN_CERTIFICATE_SECONDS = 3_600

/** Fills in defaults and refuses what cannot work, in words for whoever set it. */
export function resolveAgentOptions(options: AgentOptions, defaultParts: readonly AgentPart[]): ResolvedAgentOptions {
  const { log = silentLogger, clusterName, certificateSeconds } = options
  const features = { ...DEFAULT_AGENT_FEATURES, ...options.features }
  if (clusterName !== undefined && isDNS1123Label(clusterName).length > 0) {
    throw new RangeError(
      `${JSON.stringify(clusterName)} cannot name a cluster: ${isDNS1123Label(clusterName).join('; ')}`,
    )
  }
  if (certificateSeconds !== undefined && !(certificateSeconds >= MIN_CERTIFICATE_SECONDS)) {
    throw new RangeError(`certificateSeconds must be at least ${MIN_CERTIFICATE_SECONDS}`)
  }
  if (!((options.healthCheckPeriod ?? MINUTE) > 0)) throw new RangeError('healthCheckPeriod must be above 0')
  for (const url of options.externalServerUrls ?? []) {
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      throw new RangeError(`externalServerUrls: ${JSON.stringify(url)} is not a URL that begins with https://`)
    }
  }
  const bootstrapSecrets = bootstrapSecretNames(options.bootstrap)
  checkHubCount(bootstrapSecrets.length, features)
  return {
    spoke: options.spoke,
    bootstrapSecrets,
    hubSecret: HUB_KUBECONFIG_SECRET,
    clusterName,
    agentName: options.agentName,
    namespace: options.namespace ?? AGENT_NAMESPACE,
    hubKubeconfigDirectory: options.hubKubeconfigDirectory,
    certificateSeconds,
    takeOver: options.takeOver ?? false,
    rejoin: options.rejoin ?? false,
    externalServerUrls: options.externalServerUrls ?? [],
    externalServerCa: options.externalServerCa,
    clusterAnnotations: agentAnnotations(options.clusterAnnotations ?? {}),
    healthCheckPeriod: options.healthCheckPeriod ?? MINUTE,
    maxCustomClaims: options.maxCustomClaims ?? 20,
    reservedClaimSuffixes: options.reservedClaimSuffixes ?? [],
    hubTimeout: options.hubTimeout ?? 10 * MINUTE,
    handoverSeconds: options.handoverSeconds ?? HANDOVER_SECONDS,
    features,
    work: options.work ?? {},
    parts: options.parts ?? defaultParts,
    connectHub: options.connectHub ?? ((config) => connect(config, { log })),
    clock: options.clock ?? systemClock,
    log,
    metrics: options.metrics ?? new MetricRegistry(),
    random: options.random ?? Math.random,
  }
}

/** The Secrets with the ways in. Kubeconfigs that were handed over are kept under numbered names. */
function bootstrapSecretNames(source: BootstrapSource | undefined): readonly string[] {
  if (source === undefined) return [BOOTSTRAP_SECRET]
  if ('secretNames' in source) return source.secretNames
  return source.kubeconfigs.map((_, index) => (index === 0 ? BOOTSTRAP_SECRET : `${BOOTSTRAP_SECRET}-${index + 1}`))
}

function checkHubCount(count: number, { MultipleHubs }: AgentFeatures): void {
  if (count === 0) throw new RangeError('bootstrap names no hub')
  if (MultipleHubs && count < 2) throw new RangeError('MultipleHubs needs at least 2 bootstrap kubeconfigs')
  if (!MultipleHubs && count > 1) throw new RangeError('several bootstrap kubeconfigs need the feature MultipleHubs')
}

function agentAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(AGENT_ANNOTATION_PREFIX)))
}
