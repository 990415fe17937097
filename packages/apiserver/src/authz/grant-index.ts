import type { RoleRef, Subject } from '@orrery/kinds/rbac'
import type { Identity } from '../identity/identity.js'
import { serviceAccountUsername } from '../identity/service-accounts.js'
import type { AnyBinding } from './rbacobjects.js'

/** A binding for one of its subjects. */
export interface Grant {
  readonly binding: string
  readonly subject: Subject
  readonly roleRef: RoleRef
  /** The namespace of the Role; empty for a ClusterRoleBinding. */
  readonly namespace: string
}

/** The subjects of a binding. */
interface Subjects {
  readonly users: string[]
  readonly groups: string[]
}

/**
 * The bindings of one namespace, or the ClusterRoleBindings, by the names of their subjects. Service accounts are users. A
 * changed binding is replaced alone: the bindings of a namespace can have hundreds of thousands of subjects.
 */
export class GrantIndex {
  readonly #namespace: string
  readonly #users = new Map<string, Grant[]>()
  readonly #groups = new Map<string, Grant[]>()
  readonly #bindings = new Map<string, Subjects>()

  /** An empty namespace is that of ClusterRoleBindings. */
  constructor(namespace: string, bindings: Iterable<AnyBinding>) {
    this.#namespace = namespace
    for (const binding of bindings) this.#add(binding)
  }

  /** Whether there are no bindings. */
  get isEmpty(): boolean {
    return this.#bindings.size === 0
  }

  /** Replaces a binding; undefined removes it. */
  replace(name: string, binding: AnyBinding | undefined): void {
    const known = this.#bindings.get(name)
    this.#bindings.delete(name)
    for (const user of known?.users ?? []) removeGrant(this.#users, user, name)
    for (const group of known?.groups ?? []) removeGrant(this.#groups, group, name)
    if (binding !== undefined) this.#add(binding)
  }

  /** An access review can contain a hundred thousand groups: nothing is allocated for those without bindings. */
  grantsOf({ username, groups }: Identity): readonly Grant[] {
    const grants = [...(this.#users.get(username) ?? [])]
    if (this.#groups.size === 0) return grants
    const seen = new Set<string>()
    for (const group of groups) {
      const granted = this.#groups.get(group)
      if (granted === undefined || seen.has(group)) continue
      seen.add(group)
      for (const grant of granted) grants.push(grant)
    }
    return grants
  }

  #add({ metadata, subjects, roleRef }: AnyBinding): void {
    const binding = metadata.name ?? ''
    const namespace = this.#namespace
    const names: Subjects = { users: [], groups: [] }
    this.#bindings.set(binding, names)
    for (const subject of subjects ?? []) {
      const name = subjectName(subject, namespace)
      if (name === undefined) continue
      const isGroup = subject.kind === 'Group'
      const index = isGroup ? this.#groups : this.#users
      const grants = index.get(name) ?? []
      // A binding can name a subject twice.
      if (grants.at(-1)?.binding === binding) continue
      grants.push({ binding, subject, roleRef, namespace })
      index.set(name, grants)
      if (isGroup) names.groups.push(name)
      else names.users.push(name)
    }
  }
}

function removeGrant(index: Map<string, Grant[]>, subject: string, binding: string): void {
  const left = (index.get(subject) ?? []).filter((grant) => grant.binding !== binding)
  if (left.length === 0) index.delete(subject)
  else index.set(subject, left)
}

/** A service account is the user it authenticates as. Without a namespace, that of the binding applies. */
function subjectName({ kind, name, namespace: own }: Subject, namespace: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return name
  const home = own || namespace
  return kind === 'ServiceAccount' && home !== '' ? serviceAccountUsername(home, name) : undefined
}

/** Describes a grant as kube-apiserver does in the reason of a decision. */
export function describeGrant({ binding, subject, roleRef, namespace }: Grant): string {
  const quote = (text: string) => JSON.stringify(text)
  const from =
    namespace === '' ? `ClusterRoleBinding ${quote(binding)}` : `RoleBinding ${quote(`${binding}/${namespace}`)}`
  const isAccount = subject.kind === 'ServiceAccount'
  const who = isAccount ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  return `${from} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`
}
