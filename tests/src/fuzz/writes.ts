import type { HttpRequest } from '@orrery/kube/client'
import { builtinResources, type Resource } from './internals.js'
import type { Random } from './random.js'
import { SAMPLES } from './samples.js'

export const JSON_BODY = { 'content-type': 'application/json' }

/** Every built-in resource with stored objects. */
export const STORED = builtinResources().filter((resource) => resource.verbs.includes('update'))

/** The collection path of a resource. */
export function collectionOf({ group, version, namespaced, plural }: Resource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced ? `${root}/namespaces/default/${plural}` : `${root}/${plural}`
}

export interface Sample extends Record<string, unknown> {
  readonly metadata: { readonly name: string }
}

/** A valid object; undefined for the few kinds without a sample. */
export function sampleOf(resource: Resource, name: string): Sample | undefined {
  const sample = SAMPLES[`${resource.plural}.${resource.group}`]
  if (sample === undefined) return undefined
  const { group, version, kind } = resource
  const metadata = { name, labels: { app: 'a' }, ...(sample.metadata as object | undefined) }
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...sample, metadata }
}

const PATCHES = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/json-patch+json',
] as const

/** A random write with this body: a create, an update, a patch of any type, of the object or a subresource. */
export function randomWrite(
  random: Random,
  collection: string,
  name: string,
  subresources: readonly string[],
  object: unknown,
): HttpRequest {
  const body = JSON.stringify(object) ?? 'null'
  const below = subresources.length > 0 && random.chance(0.3) ? `/${random.pick(subresources)}` : ''
  const path = `${collection}/${name}${below}`
  const kind = random.below(4)
  if (kind === 0) return { method: 'POST', path: below === '' ? collection : path, headers: JSON_BODY, body }
  if (kind === 1) return { method: 'PUT', path, headers: JSON_BODY, body }
  const type = random.pick(PATCHES)
  const query = type === PATCHES[2] ? `?fieldManager=${random.pick(['a', 'b'])}&force=true` : ''
  return {
    method: 'PATCH',
    path: `${path}${query}`,
    headers: { 'content-type': type },
    body: type === PATCHES[3] ? JSON.stringify(operations(random, object)) : body,
  }
}

function operations(random: Random, object: unknown): unknown {
  const parts = typeof object === 'object' && object !== null ? Object.entries(object) : []
  return parts.map(([key, value]) => ({
    op: random.pick(['add', 'replace', 'test', 'remove', 'copy', 'move', 'nonsense', null]),
    path: random.pick([`/${key}`, `/${key}/0`, `/${key}/-`, '/metadata/labels/x', '', '/', '/spec/~1', '/__proto__/x']),
    from: random.pick(['/spec', '/metadata/name', '/nowhere', '', 5]),
    value,
  }))
}
