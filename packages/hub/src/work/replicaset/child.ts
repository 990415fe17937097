import { createHash } from 'node:crypto'
import {
  CONFIG_SPEC_HASH_ANNOTATION,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkSpec,
  type NewManifestWork,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  ROLLED_OUT_AT_ANNOTATION,
} from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { canonicalJson, formatTime, jsonEqual } from '@orrery/kinds/values'
import { mergePatchOf } from '@orrery/kube'
import { childName, replicaSetKey } from './names.js'

/** What the work of a replica set on one cluster is to be. */
export interface Wanted {
  readonly set: ManifestWorkReplicaSet
  readonly cluster: string
  readonly placement: string
  readonly spec: ManifestWorkSpec
}

/** Whether a work is made from the latest template. */
export function isMadeFrom({ spec = {} }: ManifestWork, wanted: ManifestWorkSpec): boolean {
  return jsonEqual(spec, wanted)
}

/** A work that is not there yet. */
export function newChild({ set, cluster, placement, spec }: Wanted, now: Date): NewManifestWork {
  return {
    metadata: {
      namespace: cluster,
      name: childName(set.metadata),
      labels: labelsFor(set, placement),
      annotations: marksOf(spec, now),
    },
    spec,
  }
}

/** The patch that makes a work what it is to be; undefined when it is. */
export function childPatch(work: ManifestWork, { set, placement, spec }: Wanted, now: Date): JsonObject | undefined {
  const change = isMadeFrom(work, spec) ? undefined : mergePatchOf(work.spec ?? {}, spec)
  if (change === undefined) return labelPatch(work, set, placement)
  const labels = missingLabels(work, set, placement)
  const marks = marksOf(spec, now)
  const known = work.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION]
  // What the cluster has been given before is only put right. Where a server keeps a work otherwise than it was written,
  // that changes nothing, and so does not go on for ever.
  const isNew = known !== marks[CONFIG_SPEC_HASH_ANNOTATION]
  return { metadata: { labels, ...(isNew && { annotations: marks }) }, spec: change }
}

/** What tells later what a cluster was given, and since when. */
function marksOf(spec: ManifestWorkSpec, now: Date): Record<string, string> {
  const hash = createHash('sha256').update(canonicalJson(spec as unknown as JsonObject))
  return { [CONFIG_SPEC_HASH_ANNOTATION]: hash.digest('hex'), [ROLLED_OUT_AT_ANNOTATION]: formatTime(now) }
}

/** The patch that gives a work the labels it is to have; undefined when it has them. */
export function labelPatch(work: ManifestWork, set: ManifestWorkReplicaSet, placement: string): JsonObject | undefined {
  const labels = missingLabels(work, set, placement)
  return Object.keys(labels).length === 0 ? undefined : { metadata: { labels } }
}

function missingLabels({ metadata }: ManifestWork, set: ManifestWorkReplicaSet, placement: string): JsonObject {
  const known = metadata.labels ?? {}
  return Object.fromEntries(Object.entries(labelsFor(set, placement)).filter(([key, value]) => known[key] !== value))
}

function labelsFor({ metadata }: ManifestWorkReplicaSet, placement: string): Record<string, string> {
  return {
    ...metadata.labels,
    [REPLICA_SET_LABEL]: replicaSetKey(metadata),
    [REPLICA_SET_PLACEMENT_LABEL]: placement,
  }
}
