import { Deployment, type Draft, type JsonObject, type ReplicaSet } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { hashedName, shortHash } from '../hash.js'
import { type Bounds, boundsOf } from './bounds.js'
import { DESIRED_REPLICAS, MAX_REPLICAS, OWN_ANNOTATIONS, REVISION, REVISION_HISTORY, TEMPLATE_HASH } from './names.js'
import { byRevision, type Rollout, revisionOf, sizeOf } from './rollout.js'

/** The maximum length of the revision history annotation. */
const MAX_HISTORY = 2000

/** Returns a new ReplicaSet for the current template. */
export function newReplicaSet(deployment: Deployment, { former }: Rollout, replicas: number): Draft<ReplicaSet> {
  const { metadata, spec } = deployment
  const hash = shortHash(spec.template, deployment.status?.collisionCount ?? 0)
  const hashLabel = { [TEMPLATE_HASH]: hash }
  const labels = { ...spec.template.metadata?.labels, ...hashLabel }
  return {
    metadata: {
      namespace: metadata.namespace,
      name: hashedName(metadata.name, hash),
      labels,
      annotations: {
        ...inherited(deployment),
        ...replicaAnnotations(boundsOf(deployment)),
        [REVISION]: String(nextRevision(former)),
      },
      ownerReferences: [ownerReferenceTo(deployment, Deployment, { controller: true })],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, ...hashLabel } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}

/** Returns the patch that updates the current ReplicaSet from its Deployment; undefined if nothing changes. */
export function currentPatch(deployment: Deployment, { current, former }: Rollout): JsonObject | undefined {
  if (current === undefined) return undefined
  const known = current.metadata.annotations ?? {}
  const annotations: Record<string, string> = {}
  for (const [key, value] of Object.entries(inherited(deployment))) if (known[key] !== value) annotations[key] = value
  const revision = nextRevision(former)
  if (revisionOf(current) < revision) {
    annotations[REVISION] = String(revision)
    const history = extendedHistory(known[REVISION_HISTORY], known[REVISION])
    if (history !== undefined) annotations[REVISION_HISTORY] = history
  }
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const isDelayed = (current.spec.minReadySeconds ?? 0) !== minReadySeconds
  if (!isDelayed && Object.keys(annotations).length === 0) return undefined
  return { metadata: { annotations }, ...(isDelayed && { spec: { minReadySeconds } }) }
}

/**
 * Returns the patch that sets the size of a ReplicaSet and the annotations for these bounds; undefined if nothing
 * changes.
 */
export function sizePatch(set: ReplicaSet, size: number, bounds: Bounds): JsonObject | undefined {
  const known = set.metadata.annotations ?? {}
  const annotations = replicaAnnotations(bounds)
  const isAnnotated = Object.entries(annotations).every(([key, value]) => known[key] === value)
  if (isAnnotated && sizeOf(set) === size) return undefined
  return { metadata: { annotations }, spec: { replicas: size } }
}

function replicaAnnotations({ replicas, maxSurge }: Bounds): Record<string, string> {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge) }
}

function inherited({ metadata }: Deployment): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.has(key)))
}

function nextRevision(former: readonly ReplicaSet[]): bigint {
  const latest = former.toSorted(byRevision).at(-1)
  return (latest === undefined ? 0n : revisionOf(latest)) + 1n
}

/** Returns the revisions that this template had before, oldest first, truncated if there are too many. */
function extendedHistory(history: string | undefined, revision: string | undefined): string | undefined {
  if (revision === undefined) return history
  let revisions = [...(history ?? '').split(',').filter((text) => text !== ''), revision]
  while (revisions.join(',').length > MAX_HISTORY) revisions = revisions.slice(1)
  return revisions.join(',')
}
