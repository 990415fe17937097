import { createHash } from 'node:crypto'
import type { ManifestWorkReplicaSet } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isLabelValue, NAME_SUFFIX_LENGTH, safeEncode } from '@orrery/kinds/values'

type Named = { readonly namespace: string; readonly name: string }

/** The value of REPLICA_SET_LABEL of the works of a replica set. */
export function replicaSetKey({ namespace, name }: Named): string {
  return `${namespace}.${name}`
}

/** The replica set in a value of REPLICA_SET_LABEL. Names may contain dots, namespaces may not. */
export function replicaSetOf(key: string): ObjectRef | undefined {
  const dot = key.indexOf('.')
  return dot <= 0 ? undefined : { namespace: key.slice(0, dot), name: key.slice(dot + 1) }
}

/** Why the works of a replica set cannot have its label; undefined if they can. */
export function keyProblem({ metadata }: ManifestWorkReplicaSet): string | undefined {
  const key = replicaSetKey(metadata)
  const [problem] = isLabelValue(key)
  if (problem === undefined) return undefined
  return `the label value ${JSON.stringify(key)} for its works is not valid (${problem}): create the replica set with a shorter name`
}

/** Why works cannot have the label of their placement; undefined if they can. */
export function placementNameProblem({ spec }: ManifestWorkReplicaSet): string | undefined {
  for (const { name } of spec?.placementRefs ?? []) {
    const [problem] = isLabelValue(name)
    if (problem === undefined) continue
    return `the placement name ${JSON.stringify(name)} is not a valid label value (${problem}): use a placement with a shorter name`
  }
  return undefined
}

const MAX_BASE_LENGTH = 58

/**
 * The name of the works of a replica set. It looks like one that a server generates, but is derived from the uid: creating a
 * work twice, because informers lag behind, fails with AlreadyExists.
 */
export function childName({ name, uid }: { readonly name: string; readonly uid: string }): string {
  const digest = createHash('sha256').update(uid).digest()
  return name.slice(0, MAX_BASE_LENGTH) + safeEncode(digest.subarray(0, NAME_SUFFIX_LENGTH))
}
