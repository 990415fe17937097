import type { ManagedFieldsEntry } from '@orrery/kinds'
import { difference, fieldSet, pathSet } from './algebra.js'
import { hasPath, isEmpty, type Path } from './field-set.js'
import { fieldsOf, isSameManager, type Manager, makeEntry, sortManagedFields, withFields } from './managers.js'

const SCALE_VERSION = 'autoscaling/v1'
const REPLICAS = fieldSet(['spec', 'replicas'])
const REPLICAS_PATH: Path = ['f:spec', 'f:replicas']

/** The path of the replicas in each version of a resource; undefined in versions without a scale. */
export type ReplicasPaths = ReadonlyMap<string, Path | undefined>

/** Returns the managed fields of a `Scale`: those of each manager of the resource that owns its replicas. */
export function scaleManagedFields(parent: readonly ManagedFieldsEntry[], paths: ReplicasPaths): ManagedFieldsEntry[] {
  const owners = parent.filter((entry) => ownsReplicas(entry, paths))
  return sortManagedFields(owners.map((entry) => makeEntry(managerOf(entry, SCALE_VERSION), REPLICAS, entry.time)))
}

/**
 * Returns the managed fields of the resource after a write to its `Scale`. A new manager has no time, as in
 * kube-apiserver, and therefore comes first.
 */
export function parentManagedFields(
  parent: readonly ManagedFieldsEntry[],
  scale: readonly ManagedFieldsEntry[],
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] {
  const unclaimed = new Set(scale)
  const entries: ManagedFieldsEntry[] = []
  for (const entry of parent) {
    if (!paths.has(entry.apiVersion ?? '')) continue
    if (!ownsReplicas(entry, paths)) {
      entries.push(entry)
      continue
    }
    const owner = scale.find((candidate) => isOwner(candidate, entry))
    if (owner !== undefined) {
      unclaimed.delete(owner)
      entries.push(entry)
      continue
    }
    const path = paths.get(entry.apiVersion ?? '') as Path
    const fields = difference(fieldsOf(entry), pathSet(path))
    if (!isEmpty(fields)) entries.push(withFields(entry, fields))
  }
  const target = paths.get(apiVersion)
  for (const entry of unclaimed) {
    if (target === undefined || !hasPath(fieldsOf(entry), REPLICAS_PATH)) continue
    entries.push(makeEntry(managerOf(entry, apiVersion), pathSet(target), undefined))
  }
  return sortManagedFields(entries)
}

function ownsReplicas(entry: ManagedFieldsEntry, paths: ReplicasPaths): boolean {
  const path = paths.get(entry.apiVersion ?? '')
  return path !== undefined && hasPath(fieldsOf(entry), path)
}

/** An entry of the `Scale` has the version of the `Scale`, whatever the version of its manager. */
function isOwner(scaleEntry: ManagedFieldsEntry, entry: ManagedFieldsEntry): boolean {
  return isSameManager({ ...scaleEntry, apiVersion: entry.apiVersion ?? '' }, entry)
}

function managerOf(entry: ManagedFieldsEntry, apiVersion: string): Manager {
  return {
    manager: entry.manager ?? '',
    operation: entry.operation ?? 'Update',
    apiVersion,
    subresource: entry.subresource ?? '',
  }
}
