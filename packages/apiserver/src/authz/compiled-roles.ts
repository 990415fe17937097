import type { PolicyRule, RoleRef } from '@orrery/kinds/rbac'
import type { AnyRole, PolicyChange, RuleSource } from './rbacobjects.js'
import { RuleMatcher } from './rule-matcher.js'

/** A role that is ready for decisions. */
export interface CompiledRole {
  readonly matchers: readonly RuleMatcher[]
  /** What its rules cost: about their length in characters. */
  readonly weight: number
}

/** The role of a binding. `namespace` is that of the binding. */
export interface RoleOf {
  readonly roleRef: RoleRef
  readonly namespace: string
}

/** What a value of a rule, or the rule itself, costs besides its characters. */
const VALUE_WEIGHT = 16
/**
 * The weight of all compiled Roles. Administrators of namespaces write Roles, so there can be any number; only a few are as
 * large as an object can be.
 */
const MAX_WEIGHT = 32 * 1024 * 1024

/** Compiles roles when they are needed, and keeps them until they change. */
export class CompiledRoles {
  readonly #source: Pick<RuleSource, 'role' | 'clusterRole'>
  readonly #clusterRoles = new Map<string, CompiledRole>()
  /** The Roles of all namespaces, the oldest first. */
  readonly #roles = new Map<string, CompiledRole>()
  #weight = 0

  constructor(source: Pick<RuleSource, 'role' | 'clusterRole'>) {
    this.#source = source
  }

  /** Returns undefined for a missing role. Those are not kept: a request can name any number of them. */
  get({ roleRef: { kind, name }, namespace }: RoleOf): CompiledRole | undefined {
    if (kind === 'ClusterRole') {
      const known = this.#clusterRoles.get(name)
      if (known !== undefined) return known
      const compiled = compile(this.#source.clusterRole(name))
      if (compiled !== undefined) this.#clusterRoles.set(name, compiled)
      return compiled
    }
    if (kind !== 'Role' || namespace === '') return undefined
    const key = keyOf(namespace, name)
    const known = this.#roles.get(key)
    if (known !== undefined) return known
    const compiled = compile(this.#source.role(namespace, name))
    if (compiled !== undefined) this.#keep(key, compiled)
    return compiled
  }

  /** Forgets a role that changed. */
  forget({ kind, namespace, name }: PolicyChange): void {
    if (kind === 'ClusterRole') this.#clusterRoles.delete(name)
    else if (kind === 'Role') this.#drop(keyOf(namespace, name))
  }

  #keep(key: string, role: CompiledRole): void {
    this.#roles.set(key, role)
    this.#weight += role.weight
    for (const oldest of this.#roles.keys()) {
      if (this.#weight <= MAX_WEIGHT) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const role = this.#roles.get(key)
    if (role === undefined) return
    this.#roles.delete(key)
    this.#weight -= role.weight
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function compile(role: AnyRole | undefined): CompiledRole | undefined {
  if (role === undefined) return undefined
  const rules = role.rules ?? []
  return {
    matchers: rules.map((rule) => new RuleMatcher(rule)),
    weight: rules.reduce((weight, rule) => weight + weightOf(rule), VALUE_WEIGHT),
  }
}

function weightOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  let weight = VALUE_WEIGHT
  for (const values of [verbs, apiGroups, resources, resourceNames, nonResourceURLs]) {
    for (const value of values ?? []) weight += VALUE_WEIGHT + value.length
  }
  return weight
}
