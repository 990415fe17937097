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
import { mergePatchOf } from '@orrery/kube/write'
import { childName, replicaSetKey } from './names.js'

/** The work that a replica set should have on one cluster. */
export interface Wanted {
  readonly set: ManifestWorkReplicaSet
  readonly cluster: string
  readonly placement: string
  readonly spec: ManifestWorkSpec
}

/** Whether a work has the spec of the latest template. */
export function hasSpec({ spec = {} }: ManifestWork, wanted: ManifestWorkSpec): boolean {
  return jsonEqual(spec, wanted)
}

/** A work to create. */
export function newChild({ set, cluster, placement, spec }: Wanted, now: Date): NewManifestWork {
  return {
    metadata: {
      namespace: cluster,
      name: childName(set.metadata),
      labels: labelsFor(set, placement),
      annotations: rolloutAnnotations(spec, now),
    },
    spec,
  }
}

/** The patch that brings a work up to date; undefined if it is. */
export function childPatch(work: ManifestWork, { set, placement, spec }: Wanted, now: Date): JsonObject | undefined {
  const change = hasSpec(work, spec) ? undefined : mergePatchOf(work.spec ?? {}, spec)
  if (change === undefined) return labelPatch(work, set, placement)
  const labels = missingLabels(work, set, placement)
  const annotations = rolloutAnnotations(spec, now)
  const known = work.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION]
  // A spec that the work had before is only restored. If a server stores a work differently than it was written, the
  // annotations stay the same, and the rollout does not start over without end.
  const isNew = known !== annotations[CONFIG_SPEC_HASH_ANNOTATION]
  return { metadata: { labels, ...(isNew && { annotations }) }, spec: change }
}

/** Annotations with the hash of the spec and the time of its rollout. */
function rolloutAnnotations(spec: ManifestWorkSpec, now: Date): Record<string, string> {
  const hash = createHash('sha256').update(canonicalJson(spec as unknown as JsonObject))
  return { [CONFIG_SPEC_HASH_ANNOTATION]: hash.digest('hex'), [ROLLED_OUT_AT_ANNOTATION]: formatTime(now) }
}

/** The patch that sets the missing labels of a work; undefined if it has them. */
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
