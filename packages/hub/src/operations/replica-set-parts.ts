import {
  type ManifestWork,
  ManifestWorkReplicaSet,
  type NewManifestWork,
  type NewManifestWorkReplicaSet,
  PART_ANNOTATION,
  PART_OF_LABEL,
  partNumber,
  partOfValue,
} from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'

/**
 * The replica set of a name, or its parts, by number. Parts are found by name and annotation: a label would be copied to
 * their works, which would look like parts of one work on each cluster.
 */
export async function partsOfSet(
  client: KubeClient,
  namespace: string,
  name: string,
  call: CallOptions,
): Promise<ManifestWorkReplicaSet[]> {
  const parts: { readonly number: number; readonly set: ManifestWorkReplicaSet }[] = []
  for await (const { items } of client.pages(ManifestWorkReplicaSet, { namespace, ...call })) {
    for (const set of items) {
      const number = partNumber(name, set.metadata.name)
      if (number === 1 || (number !== undefined && numberIn(set) === number)) parts.push({ number, set })
    }
  }
  return parts.sort((a, b) => a.number - b.number).map(({ set }) => set)
}

function numberIn({ metadata }: ManifestWorkReplicaSet): number | undefined {
  const text = metadata.annotations?.[PART_ANNOTATION]
  return text === undefined ? undefined : Number(text.split('/')[0])
}

/** The template of a part as a work, so that it can be split and compared like works. */
export function asWork(set: ManifestWorkReplicaSet, whole: string): ManifestWork {
  const { metadata, spec } = set
  const labels = { ...metadata.labels, ...(numberIn(set) !== undefined && { [PART_OF_LABEL]: partOfValue(whole) }) }
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { ...metadata, labels },
    spec: spec?.manifestWorkTemplate ?? {},
  }
}

/** The reverse of `asWork`: the part of a replica set with that template. */
export function asSet(
  { metadata, spec = {} }: NewManifestWork,
  settings: Omit<NonNullable<NewManifestWorkReplicaSet['spec']>, 'manifestWorkTemplate'>,
): NewManifestWorkReplicaSet {
  const { [PART_OF_LABEL]: _, ...labels } = metadata.labels ?? {}
  return { metadata: { ...metadata, labels }, spec: { ...settings, manifestWorkTemplate: spec } }
}
