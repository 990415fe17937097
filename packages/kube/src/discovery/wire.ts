import type { ApiSubresource, ApiVersion } from './types.js'

/** A document as a server sends it: anything may be missing. */
export type Wire<T> = T extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : T extends object
    ? { readonly [key in keyof T]?: Wire<T[key]> | null }
    : T

export interface WireKind {
  group: string
  version: string
  kind: string
}

const PATH_SEGMENT = /^\w[\w.-]{0,252}$/

/** Whether a name is valid in a path and in a type of the API. Others are omitted. */
export function isSegment(name: string | null | undefined): name is string {
  return typeof name === 'string' && PATH_SEGMENT.test(name)
}

/** The strings of a list. Empty lists share one array. */
export function stringsOf(list: readonly (string | null)[] | null | undefined): readonly string[] {
  if (!Array.isArray(list) || list.length === 0) return NONE
  return list.filter((item) => typeof item === 'string')
}

/** Puts versions whose API server is unavailable last. */
export function usableFirst(versions: readonly ApiVersion[]): ApiVersion[] {
  return [...versions].sort((a, b) => Number(a.failure !== undefined) - Number(b.failure !== undefined))
}

const NONE: readonly string[] = []
export const NO_SUBRESOURCES: readonly ApiSubresource[] = []
