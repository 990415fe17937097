import type { KubeObject } from '@orrery/kinds'

/** Fields of a JSON object that may be missing or of another type: reading them never throws. */
export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = Object.freeze({})
const NO_ITEMS: readonly Fields[] = Object.freeze([])

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : NONE
}

/** Follows field names from an object; returns undefined if one is missing. */
export function dig(from: unknown, ...path: readonly string[]): unknown {
  let value = from
  for (const name of path) value = fieldsOf(value)[name]
  return value
}

export function spec(object: KubeObject): Fields {
  return fieldsOf(object.spec)
}

export function status(object: KubeObject): Fields {
  return fieldsOf(object.status)
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}

export function integer(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** Returns the objects of a list. */
export function itemsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map(fieldsOf) : NO_ITEMS
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).map(text) : []
}

/** Returns the number of entries of a list or a map. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Returns the first condition with this type. */
export function conditionOf(conditions: unknown, type: string): Fields | undefined {
  return itemsOf(conditions).find((condition) => condition.type === type)
}

export function isConditionTrue(conditions: unknown, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}
