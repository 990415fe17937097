import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { findCondition, jsonEqual } from '@orrery/kinds/values'
import { type Informer, isBeingDeleted } from '@orrery/kube'
import { annotationsChanged, labelsChanged, type Urgency, type Wake } from '@orrery/kube/controller'
import type { Change } from '@orrery/kube/informer'
import type { AgentAddon } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'

/**
 * Wakes the deploy controller for the add-ons of a cluster when the cluster changes so that their manifests or health may change,
 * and for the add-ons that a cluster hosts when it comes or goes.
 */
export function clusterWake({ agents, addons, clusters }: AddonManagerContext): Wake {
  const ofCluster = function* (name: string, change: Change<ManagedCluster>): Generator<ObjectRef> {
    for (const agent of agents.values()) {
      const ref = { namespace: name, name: agent.name }
      // A cluster that is gone may have works left without an add-on.
      const isConcerned = change.type === 'deleted' || addons.get(ref) !== undefined
      if (isConcerned && (existenceChanged(change) || changesAddon(change, agent))) yield ref
    }
  }

  const hostedBy = function* (hostingCluster: string): Generator<ObjectRef> {
    const hosted = [...agents.values()].filter(({ hostedMode }) => hostedMode !== undefined)
    if (hosted.length === 0) return
    for (const addon of addons.list()) {
      const agent = hosted.find(({ name }) => name === addon.metadata.name)
      const cluster = clusters.get({ name: addon.metadata.namespace })
      if (agent === undefined || cluster === undefined) continue
      const install = agent.hostedMode?.(addon, cluster)
      if (install?.mode === 'Hosted' && install.hostingCluster === hostingCluster) yield addon.metadata
    }
  }

  return {
    informer: clusters as unknown as Informer,
    target: addons.kind,
    start: (enqueue) =>
      clusters.subscribe((change) => {
        const { name } = (change.after ?? change.before).metadata
        const urgency: Urgency = change.type === 'added' && change.initial ? 'resync' : 'fresh'
        for (const ref of ofCluster(name, change)) enqueue(ref, urgency)
        if (existenceChanged(change) && urgency === 'fresh') for (const ref of hostedBy(name)) enqueue(ref, urgency)
      }),
    // A resync of the add-ons has them all.
    resync: () => undefined,
  }
}

/** A cluster comes or goes. */
function existenceChanged(change: Change<ManagedCluster>): boolean {
  return change.type !== 'updated' || isBeingDeleted(change.before) !== isBeingDeleted(change.after)
}

function changesAddon(change: Change<ManagedCluster>, agent: AgentAddon): boolean {
  if (change.type !== 'updated') return true
  const { before, after } = change
  if (isReachable(before) !== isReachable(after)) return true
  if (agent.rendersOnClusterChange !== undefined) return agent.rendersOnClusterChange(before, after)
  const isSameClaims = jsonEqual(before.status?.clusterClaims, after.status?.clusterClaims)
  return !isSameClaims || labelsChanged(change) || annotationsChanged(change)
}

function isReachable({ status }: ManagedCluster): boolean {
  return findCondition(status?.conditions, ManagedClusterCondition.Available)?.status !== 'Unknown'
}
