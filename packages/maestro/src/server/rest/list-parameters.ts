import type { Columns } from '../search/columns.js'
import { orderOf } from '../search/order.js'
import { searchCondition } from '../search/search.js'
import type { ListQuery } from '../store/list.js'
import { type Projection, projectionOf } from './fields.js'

/** The parameters of a list, as Maestro reads them. */
export interface ListParameters {
  /** As it was asked for: 0 and negative numbers mean the first page. */
  readonly page: number
  readonly query: ListQuery
  /** Undefined for whole items. */
  readonly fields: Projection | undefined
}

const DEFAULT_SIZE = 100
const MAX_SIZE = 65_500
const MAX_INT32 = 2 ** 31 - 1

/** Reads `page`, `size`, `search`, `orderBy` and `fields`. Throws a 400 for those that cannot be understood. */
export function listParameters(query: URLSearchParams, columns: Columns, known: readonly string[]): ListParameters {
  const { page, size } = pageOf(query)
  const search = (query.get('search') ?? '').trim()
  const fields = (query.get('fields') ?? '').trim()
  return {
    page,
    query: {
      ...(search !== '' && { where: searchCondition(search, columns) }),
      orderBy: orderOf(query.get('orderBy') ?? '', columns),
      limit: size,
      offset: Math.max(0, page - 1) * size,
    },
    fields: fields === '' ? undefined : projectionOf(fields, known),
  }
}

/** The page and its size. Maestro takes a text that is no number for 0. */
export function pageOf(query: URLSearchParams): { readonly page: number; readonly size: number } {
  const page = integerOf(query.get('page'), 1)
  const size = integerOf(query.get('size'), DEFAULT_SIZE)
  return { page, size: size < 0 || size > MAX_SIZE ? MAX_SIZE : size }
}

function integerOf(written: string | null, fallback: number): number {
  const text = (written ?? '').trim()
  if (text === '') return fallback
  if (!/^[-+]?\d+$/.test(text)) return 0
  // Go clients read pages as 32-bit numbers.
  return Math.max(-MAX_INT32, Math.min(MAX_INT32, Number(text)))
}
