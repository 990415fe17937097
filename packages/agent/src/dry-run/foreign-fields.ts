import type { KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { isObject, jsonEqual } from '@orrery/kinds/values'
import { isSecret } from './comparable.js'

/** A longer list is not useful. */
const MAX_WARNINGS = 20
const MAX_VALUE = 60

/** A step of a path in an object: a field, or the element of a list that a key or a value selects. */
type Step =
  | { readonly field: string }
  | { readonly key: Readonly<Record<string, unknown>> }
  | { readonly value: unknown }
  | { readonly index: number }

/**
 * Lists the fields that another field manager owns and that differ between two states of an object: applying the second
 * state takes them over, and the other manager may take them back.
 */
export function foreignFieldWarnings(before: KubeObject, after: KubeObject, manager: string): string[] {
  const warnings = new Set<string>()
  for (const entry of before.metadata.managedFields ?? []) {
    // Other managers write subresources regularly, and no manifest sets them.
    if (entry.manager === manager || (entry.subresource ?? '') !== '') continue
    for (const path of leafPaths(entry)) {
      const was = valueAt(before, path)
      const becomes = valueAt(after, path)
      if (was === undefined || jsonEqual(was, becomes)) continue
      const change = isSecret(before) ? 'changes' : becomes === undefined ? 'is removed' : changeText(was, becomes)
      warnings.add(`${pathText(path)} is managed by ${JSON.stringify(entry.manager ?? '')} and ${change}`)
    }
  }
  const all = [...warnings]
  if (all.length <= MAX_WARNINGS) return all
  return [...all.slice(0, MAX_WARNINGS), `${all.length - MAX_WARNINGS} more fields of other managers change`]
}

function changeText(was: unknown, becomes: unknown): string {
  return `changes from ${shortened(was)} to ${shortened(becomes)}`
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`
}

/** The paths that a manager owns and that end there, from FieldsV1: https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
function leafPaths({ fieldsV1 }: ManagedFieldsEntry): Step[][] {
  const paths: Step[][] = []
  const walk = (fields: unknown, path: Step[]) => {
    const members = isObject(fields) ? Object.entries(fields).filter(([name]) => name !== '.') : []
    if (members.length === 0 && path.length > 0) paths.push(path)
    for (const [name, below] of members) {
      const step = stepOf(name)
      if (step !== undefined) walk(below, [...path, step])
    }
  }
  walk(fieldsV1, [])
  return paths
}

function stepOf(name: string): Step | undefined {
  const content = name.slice(2)
  try {
    if (name.startsWith('f:')) return { field: content }
    if (name.startsWith('k:')) return { key: JSON.parse(content) as Record<string, unknown> }
    if (name.startsWith('v:')) return { value: JSON.parse(content) }
    if (name.startsWith('i:')) return { index: Number(content) }
  } catch {
    // Another server may write a form that this one does not know: no warning for such a field.
  }
  return undefined
}

function valueAt(object: unknown, path: readonly Step[]): unknown {
  let value: unknown = object
  for (const step of path) {
    if ('field' in step) value = isObject(value) && Object.hasOwn(value, step.field) ? value[step.field] : undefined
    else if (!Array.isArray(value)) return undefined
    else if ('index' in step) value = value[step.index]
    else if ('value' in step) value = value.find((item) => jsonEqual(item, step.value as never))
    else value = value.find((item) => isObject(item) && hasKey(item, step.key))
  }
  return value
}

function hasKey(item: object, key: Readonly<Record<string, unknown>>): boolean {
  const fields = item as Record<string, unknown>
  // A key that has a default may be absent from the element.
  return Object.entries(key).every(([name, value]) => fields[name] === value || fields[name] === undefined)
}

function pathText(path: readonly Step[]): string {
  return path
    .map((step) => {
      if ('field' in step) return `.${step.field}`
      if ('index' in step) return `[${step.index}]`
      if ('value' in step) return `[=${JSON.stringify(step.value)}]`
      const pairs = Object.entries(step.key).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      return `[${pairs.join(',')}]`
    })
    .join('')
    .slice(1)
}
