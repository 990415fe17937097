import {
  ADDON_GROUP,
  AddOnDeploymentConfig,
  ClusterManagementAddOn,
  convertAddOn,
  ManagedClusterAddOn,
} from '@orrery/api'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { formatGroupVersion, isObject } from '@orrery/kinds/values'

/** The version that the hub serves. */
export const SERVED = formatGroupVersion(ADDON_GROUP, 'v1alpha1')

/** The version that the program uses. */
export const USED = formatGroupVersion(ADDON_GROUP, 'v1beta1')

const KINDS = [ClusterManagementAddOn, ManagedClusterAddOn, AddOnDeploymentConfig]
const KIND_NAMES: ReadonlySet<string> = new Set(KINDS.map(({ kind }) => kind))
const KIND_BY_PLURAL: ReadonlyMap<string, string> = new Map(KINDS.map(({ plural, kind }) => [plural, kind]))

/** The kind of the objects at a path of v1beta1; undefined for other paths. */
export function kindAt(path: string): string | undefined {
  const prefix = `/apis/${USED}/`
  if (!path.startsWith(prefix)) return undefined
  const segments = (path.slice(prefix.length).split('?')[0] ?? '').split('/')
  const plural = segments[0] === 'namespaces' && segments.length > 2 ? segments[2] : segments[0]
  return KIND_BY_PLURAL.get(plural ?? '')
}

/** The path of the same objects in the version that the hub serves. */
export function servedPath(path: string): string {
  return path.replace(`/apis/${USED}/`, `/apis/${SERVED}/`)
}

/** An object, or a list of objects, in another version. Its owners are add-ons of that version too. */
export function converted(value: JsonObject, to: string): JsonObject {
  if (Array.isArray(value.items)) return convertedList(value, value.items, to)
  const object = withOwners(value, to)
  if (!isAddon(object)) return object
  // The versions of AddOnDeploymentConfig differ only in their name.
  if (object.kind === AddOnDeploymentConfig.kind) return { ...object, apiVersion: to }
  return convertAddOn(object as unknown as KubeObject, to) as unknown as JsonObject
}

/** A merge patch for an object of a kind in another version. Lists are replaced as a whole, so it has all that is needed. */
export function convertedPatch(patch: JsonObject, kind: string, to: string): JsonObject {
  const from = to === SERVED ? USED : SERVED
  const {
    apiVersion: _,
    kind: __,
    metadata,
    ...rest
  } = converted({ metadata: {}, ...patch, apiVersion: from, kind }, to)
  const isEmpty = isObject(metadata) && Object.keys(metadata).length === 0
  return isEmpty ? rest : { ...rest, metadata: metadata as JsonValue }
}

/** The items of a list may omit their version and kind, which the list has. */
function convertedList(list: JsonObject, items: readonly JsonValue[], to: string): JsonObject {
  const { apiVersion = '', kind = '' } = list
  const itemKind = String(kind).replace(/List$/, '')
  const isOfAddons = isAddon({ apiVersion, kind: itemKind })
  const convertItem = (item: JsonValue) => {
    if (!isObject(item)) return item
    return converted(isOfAddons ? { apiVersion, kind: itemKind, ...item } : item, to)
  }
  return { ...list, ...(isOfAddons && { apiVersion: to }), items: items.map(convertItem) }
}

function isAddon({ apiVersion, kind }: JsonObject): boolean {
  return (apiVersion === SERVED || apiVersion === USED) && typeof kind === 'string' && KIND_NAMES.has(kind)
}

/** The garbage collector looks for owners in the version of their references: it has to be one that the hub serves. */
function withOwners(object: JsonObject, to: string): JsonObject {
  const { metadata } = object
  if (!isObject(metadata) || !Array.isArray(metadata.ownerReferences)) return object
  const ownerReferences = metadata.ownerReferences.map((owner) =>
    isObject(owner) && isAddon(owner) ? { ...owner, apiVersion: to } : owner,
  )
  return { ...object, metadata: { ...metadata, ownerReferences } }
}
