import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import type { AggregationRule, PolicyRule, RoleRef, Subject } from '@orrery/kinds/rbac'
import { uncoveredRules } from '../covers.js'
import { AUTO_UPDATE, type PolicyObject } from './policy.js'

/** The change that makes an object grant at least its default permissions. */
export type Reconciliation =
  | { readonly action: 'none' }
  | { readonly action: 'create'; readonly object: KubeObject }
  | { readonly action: 'update'; readonly object: KubeObject }
  /** A binding cannot be pointed at another role: it is deleted and made again. */
  | { readonly action: 'recreate'; readonly object: KubeObject }

/**
 * Compares a default RBAC object with the existing one. Missing rules, subjects, labels and annotations are added;
 * additions of users stay. An object with the annotation `autoupdate: "false"` is not changed.
 */
export function reconcile(expected: PolicyObject, existing: KubeObject | undefined): Reconciliation {
  if (existing === undefined) return { action: 'create', object: expected }
  if (existing.metadata.annotations?.[AUTO_UPDATE] === 'false') return { action: 'none' }
  const isRole = expected.kind === 'Role' || expected.kind === 'ClusterRole'
  if (!isRole && !sameRoleRef(expected.roleRef as RoleRef, existing.roleRef as RoleRef)) {
    return { action: 'recreate', object: expected }
  }
  const merged: KubeObject = {
    ...existing,
    metadata: {
      ...existing.metadata,
      labels: { ...expected.metadata.labels, ...existing.metadata.labels },
      annotations: { ...expected.metadata.annotations, ...existing.metadata.annotations },
    },
    ...(isRole ? mergeRole(expected, existing) : mergeSubjects(expected, existing)),
  }
  return isDeepStrictEqual(merged, existing) ? { action: 'none' } : { action: 'update', object: merged }
}

function mergeRole(expected: KubeObject, existing: KubeObject): Partial<KubeObject> {
  const held = listOf<PolicyRule>(existing.rules)
  const missing = uncoveredRules(held, listOf<PolicyRule>(expected.rules))
  return {
    ...(missing.length === 0 ? {} : { rules: [...held, ...missing] }),
    ...mergeAggregation(expected.aggregationRule as Aggregation, existing.aggregationRule as Aggregation),
  }
}

type Aggregation = AggregationRule | null | undefined

/** A default role that is not aggregated must not become aggregated, since its rules would be overwritten. */
function mergeAggregation(expected: Aggregation, existing: Aggregation): Partial<KubeObject> {
  if (expected == null) return existing == null ? {} : { aggregationRule: undefined }
  const present = existing?.clusterRoleSelectors ?? []
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (selector) => !present.some((other) => isDeepStrictEqual(other, selector)),
  )
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...present, ...missing] } }
}

function mergeSubjects(expected: KubeObject, existing: KubeObject): Partial<KubeObject> {
  const present = listOf<Subject>(existing.subjects)
  const missing = listOf<Subject>(expected.subjects).filter(
    (subject) => !present.some((other) => subjectKey(other) === subjectKey(subject)),
  )
  return missing.length === 0 ? {} : { subjects: [...present, ...missing] }
}

function subjectKey({ kind, name, apiGroup = '', namespace = '' }: Subject): string {
  return JSON.stringify([kind, apiGroup, namespace, name])
}

function sameRoleRef(a: RoleRef, b: RoleRef): boolean {
  return a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name
}

function listOf<T>(value: unknown): readonly T[] {
  return (value ?? []) as readonly T[]
}
