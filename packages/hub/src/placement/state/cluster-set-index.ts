import type { ManagedCluster, ManagedClusterSet, ManagedClusterSetBinding } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'
import type { Change } from '@orrery/kube/informer'
import { membershipOf } from '../../clustersets/membership.js'
import { type ClusterFacts, type ClusterSets, clusterSetsOf, factsOf } from '../scheduling/index.js'

/** A list of clusters by name. The facts are collected when they are needed. */
interface ClusterList {
  readonly names: readonly string[]
  facts: readonly ClusterFacts[] | undefined
}

/** An existing cluster set and its clusters. */
interface SetMembers {
  readonly contains: (cluster: ManagedCluster) => boolean
  readonly members: Set<string>
}

/** A change of a cluster, as scheduling sees it. */
export interface ClusterChange {
  readonly before: ClusterFacts | undefined
  readonly after: ClusterFacts | undefined
  /** The sets that it was or is in. */
  readonly sets: readonly string[]
  /** Whether it has entered or left one of them. */
  readonly hasMoved: boolean
  readonly fields: ChangedFields
}

/** Which fields of a cluster differ. Labels include claims. */
export interface ChangedFields {
  readonly labels: boolean
  readonly taints: boolean
  readonly cpu: boolean
  readonly memory: boolean
}

/** How many lists are kept. A placement with another combination of sets pays for its own. */
const MAX_LISTS = 32

/**
 * Clusters, the sets they are in, and the namespaces the sets are bound to. Changes update it, so that a placement gets its
 * candidates without a look at each cluster. Lists of facts are never modified: after a change there is a new one.
 */
export class ClusterSetIndex {
  readonly #clusters = new Map<string, { readonly object: ManagedCluster; readonly facts: ClusterFacts }>()
  readonly #sets = new Map<string, SetMembers>()
  readonly #setsOfNamespace = new Map<string, Set<string>>()
  readonly #namespacesOfSet = new Map<string, Set<string>>()
  readonly #lists = new Map<string, ClusterList>()

  facts(cluster: string): ClusterFacts | undefined {
    return this.#clusters.get(cluster)?.facts
  }

  /** The sets of a placement in this namespace. */
  setsFor(namespace: string, requested: readonly string[] | undefined): ClusterSets {
    const bound = [...(this.#setsOfNamespace.get(namespace) ?? [])].filter((name) => this.#sets.has(name))
    return clusterSetsOf(requested, bound)
  }

  /** The clusters of sets, by name. */
  candidates(sets: readonly string[]): readonly ClusterFacts[] {
    const key = sets.join('/')
    let list = this.#lists.get(key)
    if (list === undefined) {
      const names = new Set(sets.flatMap((set) => [...(this.#sets.get(set)?.members ?? [])]))
      list = { names: [...names].sort(), facts: undefined }
      if (this.#lists.size >= MAX_LISTS) this.#lists.delete(this.#lists.keys().next().value as string)
      this.#lists.set(key, list)
    }
    list.facts ??= list.names.map((name) => this.facts(name) as ClusterFacts)
    return list.facts
  }

  /** The sets that a cluster is in. */
  setsOf(cluster: string): string[] {
    return [...this.#sets].filter(([, { members }]) => members.has(cluster)).map(([name]) => name)
  }

  /** The namespaces that a set is bound to. */
  namespacesOf(set: string): Iterable<string> {
    return this.#namespacesOfSet.get(set) ?? []
  }

  clusterChanged({ before, after }: Change<ManagedCluster>): ClusterChange {
    const name = (after ?? before)?.metadata.name as string
    const known = this.#clusters.get(name)?.facts
    const object = after === undefined || isBeingDeleted(after) ? undefined : after
    const facts = object && factsOf(object)
    if (object === undefined || facts === undefined) this.#clusters.delete(name)
    else this.#clusters.set(name, { object, facts })
    const sets: string[] = []
    let hasMoved = false
    for (const [set, { contains, members }] of this.#sets) {
      const was = members.has(name)
      const is = object !== undefined && contains(object)
      if (!was && !is) continue
      if (was !== is) hasMoved = true
      if (is) members.add(name)
      else members.delete(name)
      sets.push(set)
    }
    if (hasMoved) this.#lists.clear()
    else if (sets.length > 0) for (const list of this.#lists.values()) list.facts = undefined
    return { before: known, after: facts, sets, hasMoved, fields: changedFields(known, facts) }
  }

  /** Whether the set is new, deleted, or has another selector. */
  setChanged({ before, after }: Change<ManagedClusterSet>): boolean {
    const name = (after ?? before)?.metadata.name as string
    if (after === undefined) {
      this.#sets.delete(name)
    } else {
      if (this.#sets.has(name) && before?.metadata.generation === after.metadata.generation) return false
      const contains = membershipOf(after)
      const members = new Set<string>()
      for (const [cluster, { object }] of this.#clusters) if (contains(object)) members.add(cluster)
      this.#sets.set(name, { contains, members })
    }
    this.#lists.clear()
    return true
  }

  bindingChanged({ before, after }: Change<ManagedClusterSetBinding>): void {
    // Its name is the name of its set.
    const { namespace, name } = ((after ?? before) as ManagedClusterSetBinding).metadata
    const change = after === undefined ? removeFrom : addTo
    change(this.#setsOfNamespace, namespace, name)
    change(this.#namespacesOfSet, name, namespace)
  }
}

function changedFields(before: ClusterFacts | undefined, after: ClusterFacts | undefined): ChangedFields {
  if (before === undefined || after === undefined) return { labels: true, taints: true, cpu: true, memory: true }
  return {
    labels: !jsonEqual(before.labels, after.labels) || !jsonEqual(before.claims, after.claims),
    taints: !jsonEqual(before.taints, after.taints),
    cpu: !Object.is(before.cpu, after.cpu),
    memory: !Object.is(before.memory, after.memory),
  }
}

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key)
  if (values === undefined) index.set(key, new Set([value]))
  else values.add(value)
}

function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key)
  values?.delete(value)
  if (values?.size === 0) index.delete(key)
}
