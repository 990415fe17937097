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
  const manifests = rendered.map(checkedManifest)
  const seen = new Set<string>()
  for (const manifest of manifests) {
    const identity = identityOf(manifest)
    if (seen.has(identity)) throw new Error(`${nameOf(manifest)} is in the manifests twice: keep one of them`)
    seen.add(identity)
  }
  return manifests
}

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
