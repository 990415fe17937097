import { failure, isObject } from '@orrery/kinds/values'
import type { ObjectList } from './options.js'
import { readJson } from './reply.js'
import type { HttpResponse } from './transport.js'

interface WireList {
  readonly items?: unknown
  readonly metadata?: {
    readonly resourceVersion?: string
    readonly continue?: string
    remainingItemCount?: number
  } | null
}

/**
 * The list in a response. Anything else is an error: treated as an empty list, it would make all objects look
 * deleted.
 */
export async function readList<T>(response: HttpResponse): Promise<ObjectList<T>> {
  const { items, metadata } = await readJson<WireList>(response)
  // Servers written in Go return null for an empty list.
  const list = items === null ? [] : items
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw failure(response.status, 'InternalError', 'the response is not a list of objects')
  }
  const { resourceVersion = '', continue: next = '', remainingItemCount } = metadata ?? {}
  return {
    items: list as T[],
    resourceVersion,
    ...(next !== '' && { continue: next }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  }
}
