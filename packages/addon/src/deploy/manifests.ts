import { MANIFEST_LIMIT } from '@orrery/api'
import { isObject, parseGroupVersion } from '@orrery/kinds/values'
import type { Manifest } from '../agent-addon.js'

/** The group of the kind of a manifest. Empty for the core group. */
export function groupOf({ apiVersion }: Pick<Manifest, 'apiVersion'>): string {
  return parseGroupVersion(apiVersion)?.group ?? ''
}

/** The kind and name of a manifest for messages: `ConfigMap default/settings`. */
export function nameOf({ kind, metadata: { namespace, name = '' } }: Manifest): string {
  return namespace === undefined || namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`
}

/** A key that is equal for manifests of the same object, in whatever version. */
export function identityOf(manifest: Manifest): string {
  const { kind, metadata } = manifest
  return JSON.stringify([groupOf(manifest), kind, metadata.namespace ?? '', metadata.name ?? ''])
}

/**
 * Checks what an add-on has rendered, and returns it as it is sent: without undefined values, and without the empty
 * `creationTimestamp` that printed objects have.
 */
export function checkedManifests(rendered: unknown): Manifest[] {
  if (!Array.isArray(rendered)) throw new TypeError('manifests() must return an array')
  const length = rendered.reduce<number>((sum, manifest, index) => sum + checkedLength(manifest, index), 0)
  if (length > TOTAL_LIMIT) {
    throw new RangeError(`the manifests take more than ${TOTAL_LIMIT} bytes: divide them among several add-ons`)
  }
  const manifests = rendered.map(checkedManifest)
  const seen = new Set<string>()
  for (const manifest of manifests) {
    const identity = identityOf(manifest)
    if (seen.has(identity)) throw new Error(`${nameOf(manifest)} is in the manifests twice: keep one of them`)
    seen.add(identity)
  }
  return manifests
}

/** The limit of all manifests of an add-on for one cluster: about 40 works. The hub has them for each cluster. */
const TOTAL_LIMIT = 16 * 1024 * 1024

function checkedManifest(rendered: unknown, index: number): Manifest {
  if (!isObject(rendered)) throw new TypeError(`manifest ${index} is not an object`)
  const manifest = JSON.parse(JSON.stringify(rendered)) as Manifest
  const { apiVersion, kind, metadata } = manifest
  const lacks = (field: string) => new TypeError(`manifest ${index}${kind ? ` of kind ${kind}` : ''} has no ${field}`)
  if (!apiVersion) throw lacks('apiVersion')
  if (!kind) throw lacks('kind')
  if (!metadata?.name) throw lacks('metadata.name')
  const { creationTimestamp, ...rest } = metadata
  return (creationTimestamp ?? null) === null ? { ...manifest, metadata: rest } : manifest
}

/**
 * No more bytes than a value has as JSON, counted up to a limit: a large text may be in it many times, and its JSON would take the
 * memory of the process.
 */
function lengthOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let length = 2
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue
    length += (Array.isArray(value) ? 0 : key.length) + lengthOf(field, limit - length)
    if (length > limit) break
  }
  return length
}

function checkedLength(rendered: unknown, index: number): number {
  const length = lengthOf(rendered, MANIFEST_LIMIT)
  if (length <= MANIFEST_LIMIT) return length
  throw new RangeError(`${labelOf(rendered, index)} takes more than ${MANIFEST_LIMIT} bytes: no more fit into one work`)
}

function labelOf(rendered: unknown, index: number): string {
  const { kind, metadata } = isObject(rendered) ? rendered : {}
  const name = isObject(metadata) ? metadata.name : undefined
  return typeof kind === 'string' && typeof name === 'string' ? `${kind} ${name}` : `manifest ${index}`
}
