import type { Node, PersistentVolume, PersistentVolumeClaim } from '@orrery/kinds'
import { compareQuantity, parseQuantity, selectsLabels } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import { selectsNode } from '../nodes/affinity.js'
import { classOf, isFor } from './claim.js'

/**
 * Returns the smallest volume that matches a claim, preferring one that is reserved for it. If a node is given, the
 * volume must be usable on it.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node: Node | undefined,
): PersistentVolume | undefined {
  const usable = volumes.filter((volume) => !isBeingDeleted(volume) && serves(volume, claim))
  const reserved = usable.find((volume) => volume.spec?.claimRef !== undefined && isFor(volume, claim))
  if (reserved !== undefined) return reserved
  return usable
    .filter(({ spec, status }) => spec?.claimRef === undefined && status?.phase === 'Available')
    .filter((volume) => node === undefined || isReachable(volume, node))
    .sort((a, b) => compareQuantity(parseQuantity(sizeOf(a)), parseQuantity(sizeOf(b))))[0]
}

/** Returns whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required
  return required === undefined || selectsNode(required, node)
}

/** Returns whether a volume satisfies a claim. */
function serves(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], resources, selector, volumeMode = 'Filesystem' } = claim.spec ?? {}
  const offered = volume.spec?.accessModes ?? []
  const wanted = parseQuantity(resources?.requests?.storage ?? '0')
  return (
    (volume.spec?.storageClassName ?? '') === classOf(claim) &&
    (volume.spec?.volumeMode ?? 'Filesystem') === volumeMode &&
    accessModes.every((mode) => offered.includes(mode)) &&
    compareQuantity(parseQuantity(sizeOf(volume)), wanted) >= 0 &&
    (selector === undefined || selectsLabels(selector, volume.metadata.labels))
  )
}

function sizeOf({ spec }: PersistentVolume): string {
  return spec?.capacity?.storage ?? '0'
}
