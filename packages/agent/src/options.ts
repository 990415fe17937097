import { AGENT_ANNOTATION_PREFIX, AGENT_NAMESPACE, BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET } from '@orrery/api'
import { isDNS1123Label } from '@orrery/kinds/values'
import type { KubeClient, Logger } from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { connect } from '@orrery/kube/transport'
import { type AddonOptions, type ResolvedAddonOptions, resolveAddonOptions } from './addon-options.js'
import type { AgentPart } from './context.js'
import { type AgentFeatures, DEFAULT_AGENT_FEATURES } from './features.js'
import type { WorkOptions } from './work/options.js'

/**
 * The bootstrap kubeconfigs, which are stored in Secrets on the cluster, or the names of existing Secrets that hold
 * them. More than one requires the feature MultipleHubs; the agent joins the first hub that accepts the cluster.
 */
export type BootstrapSource = { readonly kubeconfigs: readonly string[] } | { readonly secretNames: readonly string[] }

export interface AgentOptions {
  /** The managed cluster. It also stores the agent's Secrets. */
  readonly spoke: KubeClient
  /** Default: the Secret `bootstrap-hub-kubeconfig`. */
  readonly bootstrap?: BootstrapSource
  /** The name of the cluster on the hub. Default: the stored one, else a random one. */
  readonly clusterName?: string
  /** The name of the agent, which distinguishes agents of one cluster. Default: the stored one, else a random one. */
  readonly agentName?: string
  /** The namespace of the agent's Secrets. Default `open-cluster-management-agent`. */
  readonly namespace?: string
  /** A directory that gets the hub credentials as files, for other programs. Default none. */
  readonly hubKubeconfigDirectory?: string
  /**
   * The requested lifetime of certificates, at least 3,600. Stored beside the bootstrap kubeconfigs, for later
   * starts. Default: the stored value, else the hub decides.
   */
  readonly certificateSeconds?: number
  /** Join even if another agent is active under the name of the cluster. Default false. */
  readonly takeOver?: boolean
  /**
   * When the agent starts, rejoin a hub that no longer knows the cluster, even if the cluster may have been detached
   * there. Default: rejoin only if the hub was provably restored from an older backup.
   */
  readonly rejoin?: boolean
  /** The `https` URLs at which the hub reaches the API of the cluster. Default none. */
  readonly externalServerUrls?: readonly string[]
  /** The CA bundle for these URLs, in PEM. */
  readonly externalServerCa?: string
  /** Annotations for the ManagedCluster. Only those with the prefix `agent.open-cluster-management.io` are set. */
  readonly clusterAnnotations?: Readonly<Record<string, string>>
  /** How often the health of the cluster's API server is checked, in milliseconds. Default 60,000. */
  readonly healthCheckPeriod?: number
  /** How many claims are reported besides the reserved ones. Default 20. */
  readonly maxCustomClaims?: number
  /** Claims with one of these suffixes also count as reserved. Default none. */
  readonly reservedClaimSuffixes?: readonly string[]
  /**
   * With several hubs: how long a hub may be unreachable before the agent tries another, in milliseconds. Default
   * 600,000.
   */
  readonly hubTimeout?: number
  /**
   * How long the hub waits for another agent of the cluster after this one stops, before it reports the cluster as
   * stopped. In seconds. Default 5, which is enough for a restart.
   */
  readonly handoverSeconds?: number
  readonly features?: Partial<AgentFeatures>
  readonly work?: WorkOptions
  readonly addons?: AddonOptions
  /** The parts that run besides registration. Default: `DEFAULT_PARTS`. */
  readonly parts?: readonly AgentPart[]
  /** The transport to hubs. Default: over the network. */
  readonly connectHub?: (config: ClientConfig) => Transport
  readonly clock?: Clock
  readonly log?: Logger
  /** The registry for metrics of controllers and works. Default none. */
  readonly metrics?: MetricRegistry
  /** Returns a number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
}

/** The options, checked and with every default filled in. */
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
  readonly addons: ResolvedAddonOptions
  readonly parts: readonly AgentPart[]
  readonly connectHub: (config: ClientConfig) => Transport
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
  readonly random: () => number
}

const MINUTE = 60_000
const HANDOVER_SECONDS = 5
/** Kubernetes issues no shorter ones. */
export const MIN_CERTIFICATE_SECONDS = 3_600

/** Fills in defaults. Throws an error that names the option if one is not valid. */
export function resolveAgentOptions(options: AgentOptions, defaultParts: readonly AgentPart[]): ResolvedAgentOptions {
  const { log = silentLogger, clusterName, certificateSeconds } = options
  const features = { ...DEFAULT_AGENT_FEATURES, ...options.features }
  if (clusterName !== undefined && isDNS1123Label(clusterName).length > 0) {
    throw new RangeError(
      `clusterName ${JSON.stringify(clusterName)} is not valid: ${isDNS1123Label(clusterName).join('; ')}`,
    )
  }
  if (certificateSeconds !== undefined && !(certificateSeconds >= MIN_CERTIFICATE_SECONDS)) {
    throw new RangeError(`certificateSeconds must be at least ${MIN_CERTIFICATE_SECONDS}`)
  }
  if (!((options.healthCheckPeriod ?? MINUTE) > 0)) throw new RangeError('healthCheckPeriod must be greater than 0')
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
    addons: resolveAddonOptions(options.addons ?? {}, options.spoke),
    parts: options.parts ?? defaultParts,
    connectHub: options.connectHub ?? ((config) => connect(config, { log })),
    clock: options.clock ?? systemClock,
    log,
    metrics: options.metrics ?? new MetricRegistry(),
    random: options.random ?? Math.random,
  }
}

/** The names of the Secrets with bootstrap kubeconfigs. Kubeconfigs from the options get numbered names. */
function bootstrapSecretNames(source: BootstrapSource | undefined): readonly string[] {
  if (source === undefined) return [BOOTSTRAP_SECRET]
  if ('secretNames' in source) return source.secretNames
  return source.kubeconfigs.map((_, index) => (index === 0 ? BOOTSTRAP_SECRET : `${BOOTSTRAP_SECRET}-${index + 1}`))
}

function checkHubCount(count: number, { MultipleHubs }: AgentFeatures): void {
  if (count === 0) throw new RangeError('bootstrap has no kubeconfig')
  if (MultipleHubs && count < 2) throw new RangeError('MultipleHubs requires at least 2 bootstrap kubeconfigs')
  if (!MultipleHubs && count > 1) throw new RangeError('several bootstrap kubeconfigs require the feature MultipleHubs')
}

function agentAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(AGENT_ANNOTATION_PREFIX)))
}
