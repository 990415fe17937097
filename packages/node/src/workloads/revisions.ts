import {
  ControllerRevision,
  type Draft,
  type JsonValue,
  type NamespacedObject,
  type PodTemplateSpec,
} from '@orrery/kinds'
import { canonicalJson, isAlreadyExists } from '@orrery/kinds/values'
import { ownerReferenceTo } from '@orrery/kube'
import { isOwnedBy, semanticEqual } from '@orrery/kube/write'
import type { WorkloadContext } from './context.js'
import { hashedName, shortHash } from './hash.js'
import { type Claimant, claim } from './ownership.js'

/** The ControllerRevisions of an owner, oldest first. */
export interface History {
  readonly revisions: readonly ControllerRevision[]
  /** The revision of the current template. */
  readonly latest: ControllerRevision
  /** The number of hash collisions. */
  readonly collisions: number
}

interface Templated<O extends NamespacedObject> extends Claimant<O> {
  readonly template: PodTemplateSpec
  readonly collisions: number
  /** Returns the labels of a revision with this hash. */
  readonly labels: (hash: string) => Record<string, string>
}

/** Ensures that the template is the latest revision: it creates one, or reuses an old one. */
export async function keepHistory<O extends NamespacedObject>(
  context: WorkloadContext,
  owner: Templated<O>,
  signal: AbortSignal,
): Promise<History> {
  const claimed = await claim(context, ControllerRevision, owner, signal)
  const revisions = claimed.toSorted((a, b) => a.revision - b.revision || (a.metadata.name < b.metadata.name ? -1 : 1))
  const data = revisionData(owner.template)
  const newest = revisions.at(-1)
  const equal = revisions.findLast((revision) => semanticEqual(revision.data, data))
  const next = (newest?.revision ?? 0) + 1
  if (equal !== undefined && equal === newest) return { revisions, latest: equal, collisions: owner.collisions }
  if (equal === undefined) return create(context, owner, revisions, data, next, signal)
  const { name, namespace, uid } = equal.metadata
  const change = { metadata: { uid }, revision: next }
  const write = context.client.patch(ControllerRevision, { name, namespace }, change, { signal })
  const latest = await context.expectations(ControllerRevision).after(write, signal)
  return {
    revisions: [...revisions.filter((revision) => revision !== equal), latest],
    latest,
    collisions: owner.collisions,
  }
}

async function create<O extends NamespacedObject>(
  context: WorkloadContext,
  owned: Templated<O>,
  revisions: readonly ControllerRevision[],
  data: object,
  revision: number,
  signal: AbortSignal,
): Promise<History> {
  const { owner, kind } = owned
  for (let collisions = owned.collisions; ; collisions++) {
    const hash = shortHash(data, collisions)
    const draft: Draft<ControllerRevision> = {
      metadata: {
        namespace: owner.metadata.namespace,
        name: hashedName(owner.metadata.name, hash),
        labels: owned.labels(hash),
        ...(owner.metadata.annotations !== undefined && { annotations: owner.metadata.annotations }),
        ownerReferences: [ownerReferenceTo(owner, kind, { controller: true })],
      },
      data,
      revision,
    }
    try {
      const write = context.client.create(ControllerRevision, draft, { signal })
      const latest = await context.expectations(ControllerRevision).after(write, signal)
      return { revisions: [...revisions, latest], latest, collisions }
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      const taken = await context.client.get(ControllerRevision, draft.metadata as { name: string }, { signal })
      if (isOwnedBy(taken, owner) && semanticEqual(taken.data, data)) {
        return { revisions: [...revisions, taken], latest: taken, collisions }
      }
    }
  }
}

/** Deletes the oldest unused revisions beyond the history limit. */
export async function pruneRevisions(
  context: WorkloadContext,
  { revisions }: History,
  isUsed: (revision: ControllerRevision) => boolean,
  kept: number,
  signal: AbortSignal,
): Promise<void> {
  const unused = revisions.filter((revision) => !isUsed(revision))
  const expectations = context.expectations(ControllerRevision)
  await Promise.all(
    unused.slice(0, Math.max(0, unused.length - kept)).map((revision) => {
      const { name, namespace, uid } = revision.metadata
      const options = { preconditions: { uid }, signal }
      return expectations.gone(
        context.client.ensureDeleted(ControllerRevision, { name, namespace }, options),
        revision,
        signal,
      )
    }),
  )
}

/**
 * Returns a strategic merge patch that restores this template, which clients use for a rollback. Its fields are sorted,
 * since kubectl compares it byte by byte to detect changes.
 */
function revisionData(template: PodTemplateSpec): object {
  return JSON.parse(canonicalJson({ spec: { template: { ...template, $patch: 'replace' } } } as unknown as JsonValue))
}

/** Returns the template of a revision. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = data as { spec: { template: PodTemplateSpec & { $patch?: string } } }
  const { $patch: _, ...template } = spec.template
  return template
}
