import { Lease, Node } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, type KubeClient, ownerReferenceTo, requeueAt, writeStatus } from '@orrery/kube'
import type { SharedInformer } from '@orrery/kube/informer'
import { platformOf } from './machine.js'
import { heartbeatDue, type NodeFacts, nodeStatusOf } from './node-status.js'

export const LEASE_NAMESPACE = 'kube-node-lease'
export const LEASE_SECONDS = 40

export interface RegistrationOptions {
  readonly facts: NodeFacts
  readonly labels: Readonly<Record<string, string>>
  readonly podCidr: string
}

/** Creates the Node with the labels that every node has, or updates the labels of an existing one. */
export async function registerNode(client: KubeClient, options: RegistrationOptions): Promise<Node> {
  const { facts, podCidr } = options
  const labels = labelsOf(options)
  try {
    return await client.create(Node, {
      metadata: { name: facts.name, labels },
      spec: { podCIDR: podCidr, podCIDRs: [podCidr], providerID: `orrery://${facts.name}` },
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const node = await client.get(Node, { name: facts.name })
  const known = node.metadata.labels ?? {}
  if (Object.entries(labels).every(([key, value]) => known[key] === value)) return node
  return client.patch(Node, { name: facts.name }, { metadata: { labels } })
}

/** Creates the node lease. The Node owns it. */
export async function createLease(client: KubeClient, node: Node): Promise<void> {
  const { name } = node.metadata
  try {
    await client.create(Lease, {
      metadata: {
        namespace: LEASE_NAMESPACE,
        name,
        ownerReferences: [ownerReferenceTo(node, Node)],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS },
    })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Keeps the node status up to date, and registers the node again if it is deleted. */
export function nodeStatusController(nodes: SharedInformer<Node>, options: RegistrationOptions): ControllerSpec {
  return {
    name: 'node-status',
    wakes: [each(nodes, ({ metadata }) => (metadata.name === options.facts.name ? metadata : undefined))],
    async reconcile(ref, { client, clock }) {
      const node = nodes.get(ref) ?? (await registerNode(client, options))
      const statusOf = (current: Node) => nodeStatusOf(current, options.facts, clock.now())
      const written = await writeStatus(client, Node, node, statusOf)
      return requeueAt(heartbeatDue(written.status ?? {}))
    },
  }
}

function labelsOf({ facts, labels }: RegistrationOptions): Record<string, string> {
  const { architecture, operatingSystem } = platformOf()
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': facts.name,
    'kubernetes.io/os': operatingSystem,
    ...labels,
  }
}
