import { ManagedCluster } from '@orrery/api'
import { SelfSubjectAccessReview } from '@orrery/kinds'
import { KubeClient } from '@orrery/kube'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import type { ResolvedAgentOptions } from '../options.js'
import { withinAnswerTime } from './answer-time.js'
import type { BootstrapHub } from './bootstrapping.js'
import { configOf, type HubIdentity, isFor, isValid } from './hub-identity.js'
import type { AgentNames } from './names.js'

type Options = Pick<ResolvedAgentOptions, 'connectHub' | 'clock' | 'log'>

/** The permissions that an agent needs to request its first certificate. */
const NEEDED = [
  { group: ManagedCluster.group, resource: ManagedCluster.plural, verbs: ['create', 'get'] },
  {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verbs: ['create', 'get', 'list', 'watch'],
  },
].flatMap(({ verbs, ...resource }) => verbs.map((verb) => ({ ...resource, verb })))

/**
 * Chooses one of several hubs: the current one if it still accepts the cluster, else the first that does. Undefined
 * if none does.
 */
export async function chooseHub(
  hubs: readonly BootstrapHub[],
  identity: HubIdentity | undefined,
  names: AgentNames,
  options: Options,
  signal: AbortSignal,
): Promise<BootstrapHub | undefined> {
  const isCurrent = ({ address }: BootstrapHub) => address.server === identity?.hub.server
  for (const hub of [...hubs.filter(isCurrent), ...hubs.filter((one) => !isCurrent(one))]) {
    const own = isFor(identity, hub.address, names) && isValid(identity, options.clock.now()) ? identity : undefined
    if (await wouldLetIn(hub, own, names, options, signal)) return hub
  }
  return undefined
}

async function wouldLetIn(
  hub: BootstrapHub,
  own: HubIdentity | undefined,
  names: AgentNames,
  options: Options,
  signal: AbortSignal,
): Promise<boolean> {
  const acceptsCluster = (client: KubeClient, limit: AbortSignal) => accepts(client, names, limit)
  // An agent with its own certificate does not need the bootstrap credentials, which may have expired.
  if (own !== undefined && (await isAnswer(configOf(own), hub, options, signal, acceptsCluster))) return true
  return isAnswer(hub.config, hub, options, signal, async (client, limit) => {
    return (await mayBootstrap(client, limit)) && (await acceptsCluster(client, limit))
  })
}

async function isAnswer(
  config: ClientConfig,
  { address }: BootstrapHub,
  { connectHub, clock, log }: Options,
  signal: AbortSignal,
  ask: (client: KubeClient, signal: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const client = new KubeClient(connectHub(config))
  try {
    return await withinAnswerTime(clock, signal, (limit) => ask(client, limit))
  } catch (error) {
    log.warn('a hub cannot be joined', { hub: address.server, error })
    return false
  } finally {
    client.close()
  }
}

async function mayBootstrap(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const reviews = await Promise.all(
    NEEDED.map((resourceAttributes) =>
      client.create(SelfSubjectAccessReview, { metadata: {}, spec: { resourceAttributes } }, { signal }),
    ),
  )
  return reviews.every(({ status }) => status?.allowed === true)
}

/** A hub that does not know the cluster yet may accept it later; one that denied it has decided. */
async function accepts(client: KubeClient, { clusterName }: AgentNames, signal: AbortSignal): Promise<boolean> {
  const cluster = await client.find(ManagedCluster, { name: clusterName }, { signal })
  return cluster === undefined || cluster.spec?.hubAcceptsClient === true
}
