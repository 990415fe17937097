import type { TestContext } from 'node:test'
import { type AddonPart, type AgentAddon, addonManagerContext } from '@orrery/addon'
import { ClusterManagementAddOn, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { type Informer, ownerReferenceTo } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { HubServer } from '../hub/hub-server.js'

/** A hub that runs only one part of the controllers of add-ons. */
export async function partHub(t: TestContext, agents: readonly AgentAddon[], part: AddonPart): Promise<HubServer> {
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  return HubServer.start(t, {
    controllers: (context) => part(addonManagerContext(context, byName, neverTriggered)),
  })
}

function neverTriggered(addons: Informer<ManagedClusterAddOn>): Wake {
  return { informer: addons as unknown as Informer, start: () => () => undefined, resync: () => undefined }
}

/** A ManagedCluster with its namespace, without an agent. */
export async function clusterWithNamespace(hub: HubServer, name: string): Promise<ManagedCluster> {
  await hub.client.create(Namespace, { metadata: { name } })
  return hub.client.create(ManagedCluster, { metadata: { name }, spec: { hubAcceptsClient: true } })
}

/** An add-on of a cluster, with the owner that the hub sets. */
export async function ownedAddon(hub: HubServer, cluster: string, name: string): Promise<ManagedClusterAddOn> {
  const owner =
    (await hub.client.find(ClusterManagementAddOn, { name })) ??
    (await hub.client.create(ClusterManagementAddOn, { metadata: { name }, spec: {} }))
  const ownerReferences = [ownerReferenceTo(owner, ClusterManagementAddOn)]
  return hub.client.create(ManagedClusterAddOn, { metadata: { namespace: cluster, name, ownerReferences }, spec: {} })
}
