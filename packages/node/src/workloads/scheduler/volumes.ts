import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@orrery/kinds'
import { type Informer, isBeingDeleted } from '@orrery/kube'
import { classOf, isBound, waitsForConsumer } from '../storage/claim.js'
import { claimNameOf } from '../storage/ephemeral.js'
import { isReachable } from '../storage/match.js'
import { SELECTED_NODE } from '../storage/names.js'

interface Stores {
  readonly claims: Informer<PersistentVolumeClaim>
  readonly volumes: Informer<PersistentVolume>
  readonly classes: Informer<StorageClass>
}

/** The constraints from the PersistentVolumeClaims of a pod. */
export interface VolumeNeeds {
  /** Why the pod cannot be scheduled yet. */
  readonly obstacle: string | undefined
  /** Claims with `WaitForFirstConsumer` that have no selected node. */
  readonly waiting: readonly PersistentVolumeClaim[]
  /** Whether a claim with a selected node is being bound. */
  readonly isBinding: boolean
  obstacleOn(node: Node): string | undefined
}

export function volumeNeeds(pod: Pod, { claims, volumes, classes }: Stores): VolumeNeeds {
  const bound: PersistentVolume[] = []
  const waiting: PersistentVolumeClaim[] = []
  let obstacle: string | undefined
  let isBinding = false
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume)
    if (name === undefined) continue
    const claim = claims.get({ namespace: pod.metadata.namespace, name })
    if (claim === undefined) {
      obstacle ??=
        volume.ephemeral === undefined
          ? `persistentvolumeclaim "${name}" not found`
          : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    } else if (isBeingDeleted(claim)) {
      obstacle ??= `persistentvolumeclaim "${name}" is being deleted`
    } else if (isBound(claim)) {
      const held = volumes.get({ name: claim.spec?.volumeName ?? '' })
      if (held !== undefined) bound.push(held)
      else obstacle ??= 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'
    } else if (waitsForConsumer(classes.get({ name: classOf(claim) })) && (claim.spec?.volumeName ?? '') === '') {
      waiting.push(claim)
    } else if (claim.metadata.annotations?.[SELECTED_NODE] !== undefined) {
      isBinding = true
    } else {
      obstacle ??= 'pod has unbound immediate PersistentVolumeClaims'
    }
  }
  return {
    obstacle,
    waiting,
    isBinding,
    obstacleOn(node) {
      const isPromised = ({ metadata }: PersistentVolumeClaim) =>
        (metadata.annotations?.[SELECTED_NODE] ?? node.metadata.name) === node.metadata.name
      const fits = bound.every((volume) => isReachable(volume, node)) && waiting.every(isPromised)
      return fits ? undefined : "node(s) didn't match PersistentVolume's node affinity"
    },
  }
}
