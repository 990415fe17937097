import type { ResourceType } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { collectionPath, objectPath } from '@orrery/kube/client'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export const EVERY_VERB: readonly Verb[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]

/** An attempted request. */
export interface Attempt {
  readonly kind: ResourceType
  readonly verb: Verb
  readonly name: string
  readonly namespace?: string
  readonly subresource?: string
  /** For collections. */
  readonly fieldSelector?: string
}

const METHODS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** Tries a dry run, and returns whether it failed for a missing permission. */
export async function isRefused(client: KubeClient, attempt: Attempt): Promise<boolean> {
  const { verb } = attempt
  const ending = new AbortController()
  const isWrite = METHODS[verb] !== 'GET'
  const response = await client.raw({
    method: METHODS[verb],
    path: `${pathOf(attempt)}?${queryOf(attempt)}`,
    signal: ending.signal,
    ...(isWrite && {
      headers: { 'content-type': verb === 'patch' ? 'application/merge-patch+json' : 'application/json' },
      body: JSON.stringify(verb === 'create' || verb === 'update' ? bodyOf(attempt) : {}),
    }),
  })
  ending.abort()
  return response.status === 403
}

function pathOf({ kind, verb, name, namespace, subresource }: Attempt): string {
  const isCollection = verb === 'list' || verb === 'watch' || verb === 'deletecollection'
  if (isCollection || (verb === 'create' && subresource === undefined)) return collectionPath(kind, namespace)
  return objectPath(kind, { name, namespace }, subresource)
}

function queryOf({ verb, fieldSelector }: Attempt): string {
  const query = new URLSearchParams()
  if (verb === 'watch') query.set('watch', 'true')
  if (METHODS[verb] !== 'GET') query.set('dryRun', 'All')
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector)
  return query.toString()
}

function bodyOf({ kind, name, namespace }: Attempt): object {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  return { apiVersion, kind: kind.kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
}
