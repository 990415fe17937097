import { tokenUser } from '@orrery/addon'
import { AGENT_SUBJECT_PREFIX, KUBE_CLIENT_SIGNER } from '@orrery/api'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { getOwn, isObject } from '@orrery/kinds/values'
import type { UserInfo } from './write.js'

/** The part that a user has in an add-on of a cluster: the agent of that cluster, or another agent. */
export type AgentPart = 'cluster' | 'other'

/**
 * Whether a user is an agent, as the subject of its certificate, or its service account, shows. Agents of add-ons may register with any
 * name: it is in the status of their add-on, where only the hub chooses it.
 */
export function agentPartOf({ username, groups }: UserInfo, addon: KubeObject): AgentPart | undefined {
  const { namespace = '' } = addon.metadata
  const ofCluster = `${AGENT_SUBJECT_PREFIX}${namespace}`
  // The second group is the one of agents that connect over gRPC.
  if (groups.includes(ofCluster) || groups.includes(`open-cluster-management:${namespace}`)) return 'cluster'
  if (username.startsWith(`${ofCluster}:`) && !username.slice(ofCluster.length + 1).includes(':')) return 'cluster'
  const isOther =
    [username, ...groups].some((name) => name.startsWith(AGENT_SUBJECT_PREFIX)) ||
    (username.startsWith(`system:serviceaccount:${namespace}:`) && username.endsWith('-agent')) ||
    registrationsOf(addon).some((registration) => subjectIn(registration)?.user === username)
  return isOther ? 'other' : undefined
}

/** Whether registrations differ only in what the agent of a cluster writes: the driver, and the subject of the driver `token`. */
export function isRegisteredByAgent(addon: KubeObject, before: KubeObject): boolean {
  const [after, known] = [registrationsOf(addon), registrationsOf(before)]
  const { namespace = '', name = '' } = addon.metadata
  const account = JSON.stringify({ user: tokenUser(namespace, name) })
  return (
    after.length === known.length &&
    after.every((registration, index) => {
      const old = known[index] ?? {}
      if (!isKubeClient(registration) || !isKubeClient(old)) return isSame(registration, old)
      if (!isSame(withoutOwn(registration), withoutOwn(old))) return false
      const [subject, oldSubject] = [textOf(subjectIn(registration)), textOf(subjectIn(old))]
      return subject === oldSubject || subject === account || (subject === textOf(undefined) && oldSubject === account)
    })
  )
}

/** Whether two values are equal. Clients in Go write zero values, where others write nothing. */
export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return textOf(a) === textOf(b)
}

function registrationsOf({ status }: KubeObject): JsonObject[] {
  const list = isObject(status) ? getOwn(status, 'registrations') : undefined
  return Array.isArray(list) ? list.filter((item) => isObject(item)) : []
}

/** In v1beta1 by its type, in v1alpha1 by its signer. */
function isKubeClient(registration: JsonObject): boolean {
  return getOwn(registration, 'type') === 'kubeClient' || getOwn(registration, 'signerName') === KUBE_CLIENT_SIGNER
}

function subjectIn(registration: JsonObject): JsonObject | undefined {
  const kubeClient = getOwn(registration, 'kubeClient')
  const subject = getOwn(isObject(kubeClient) ? kubeClient : registration, 'subject')
  return isObject(subject) ? subject : undefined
}

/** What remains of a registration without the driver and the subject. */
function withoutOwn({ subject: _, kubeClient, ...registration }: JsonObject): JsonObject {
  if (!isObject(kubeClient)) return registration
  const { subject: __, driver: ___, ...rest } = kubeClient
  return { ...registration, kubeClient: rest }
}

/** A text that is the same for equal values. */
function textOf(value: JsonValue | undefined): string {
  return JSON.stringify(compact(value)) ?? ''
}

function compact(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || value === '' || value === 0 || value === false) return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => compact(item) ?? null)
  if (!isObject(value)) return value
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = compact(getOwn(value, key))
      return member === undefined ? [] : [[key, member] as const]
    })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
