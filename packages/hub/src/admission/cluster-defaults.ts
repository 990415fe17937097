import { CLUSTER_SET_LABEL, CREATED_BY_ANNOTATION, DEFAULT_CLUSTER_SET, ManagedCluster } from '@orrery/api'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { badRequest, canonicalTime, formatTime, getOwn, isObject, ParseError } from '@orrery/kinds/values'
import type { Edit } from './edit.js'
import type { MutatingRule, RuleSettings } from './rule.js'

/** Records who created a cluster and when its taints were added, and puts it into the default cluster set if it is in none. */
export function clusterDefaults({ clock, features }: RuleSettings): MutatingRule {
  return {
    name: 'ManagedClusterMutating',
    kind: ManagedCluster,
    mutate({ object, oldObject, user }) {
      const now = formatTime(clock.now())
      const edits = oldObject === undefined ? stamps(object, now) : changedStamps(object, oldObject, now)
      edits.push(...creator(object, oldObject === undefined ? user.username : creatorOf(oldObject)))
      if (features.DefaultClusterSet) edits.push(...defaultSet(object))
      return edits
    },
  }
}

/** The taints of a new cluster get the current time, whatever `timeAdded` they have. */
function stamps(object: KubeObject, now: string): Edit[] {
  return taintsOf(object).map(({ index }) => stamp(index, now))
}

/**
 * A taint that is new or changed gets the current time. `timeAdded` of an unchanged one may be repeated or left out; setting
 * it to another time is denied.
 */
function changedStamps(object: KubeObject, oldObject: KubeObject, now: string): Edit[] {
  const edits: Edit[] = []
  const refused: string[] = []
  const old = new Map<string, JsonObject>()
  for (const { taint } of taintsOf(oldObject).reverse()) old.set(identityOf(taint), taint)
  for (const { index, taint } of taintsOf(object)) {
    const given = getOwn(taint, 'timeAdded') ?? undefined
    const known = old.get(identityOf(taint))
    const time = known === undefined ? now : (getOwn(known, 'timeAdded') ?? undefined)
    const isRepeated = known !== undefined && isSameTime(given, time)
    if (given !== undefined && !isRepeated) refused.push(String(getOwn(taint, 'key')))
    else if (given === undefined && time !== undefined) edits.push(stamp(index, time))
  }
  if (refused.length === 0) return edits
  throw badRequest(`It is not allowed to set TimeAdded of Taint ${JSON.stringify(refused.join(','))}.`)
}

function stamp(index: number, time: JsonValue): Edit {
  return { path: ['spec', 'taints', index, 'timeAdded'], value: time }
}

interface TaintAt {
  readonly index: number
  readonly taint: JsonObject
}

/** The taints. Items that are not objects are left to the schema validation. */
function taintsOf({ spec }: KubeObject): TaintAt[] {
  const taints = isObject(spec) ? getOwn(spec, 'taints') : undefined
  if (!Array.isArray(taints)) return []
  return taints.flatMap((taint, index) => (isObject(taint) ? [{ index, taint }] : []))
}

function identityOf(taint: JsonObject): string {
  return JSON.stringify(['key', 'value', 'effect'].map((field) => getOwn(taint, field) ?? ''))
}

function isSameTime(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b
  try {
    return canonicalTime(a) === canonicalTime(b)
  } catch (error) {
    if (error instanceof ParseError) return false
    throw error
  }
}

/** The recorded creator of a cluster; undefined if there is none. */
export function creatorOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  const annotations: unknown = metadata.annotations ?? undefined
  const creator = isObject(annotations) ? getOwn(annotations, CREATED_BY_ANNOTATION) : undefined
  return typeof creator === 'string' ? creator : undefined
}

/** Clients that replace all annotations leave the creator out: it is added again. */
function creator(object: KubeObject, wanted: string | undefined): Edit[] {
  const annotations: unknown = object.metadata.annotations ?? undefined
  if (wanted === undefined || creatorOf(object) !== undefined) return []
  if (annotations === undefined) {
    return [{ path: ['metadata', 'annotations'], value: { [CREATED_BY_ANNOTATION]: wanted } }]
  }
  return isObject(annotations) ? [{ path: ['metadata', 'annotations', CREATED_BY_ANNOTATION], value: wanted }] : []
}

function defaultSet({ metadata }: KubeObject): Edit[] {
  const labels: unknown = metadata.labels ?? undefined
  if (labels === undefined)
    return [{ path: ['metadata', 'labels'], value: { [CLUSTER_SET_LABEL]: DEFAULT_CLUSTER_SET } }]
  if (!isObject(labels)) return []
  const set = getOwn(labels, CLUSTER_SET_LABEL) ?? ''
  return set === '' ? [{ path: ['metadata', 'labels', CLUSTER_SET_LABEL], value: DEFAULT_CLUSTER_SET }] : []
}
