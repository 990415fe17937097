import type { KubeObject } from '@orrery/kinds'
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

/** A path, from its last step to its first: fields of one object share the beginning. */
interface Path {
  readonly before: Path | undefined
  readonly step: Step
}

/**
 * Lists the fields that another field manager owns and that differ between two states of an object: applying the second
 * state takes them over, and the other manager may take them back.
 */
export function foreignFieldWarnings(before: KubeObject, after: KubeObject, manager: string): string[] {
  const warnings = new Set<string>()
  const elements = new ElementIndex()
  const differences = new Map<unknown, boolean>()
  /** Many managers can own the same large value, which is compared once. */
  const differs = (was: unknown, becomes: unknown) => {
    const isDifferent = differences.get(was) ?? !jsonEqual(was as never, becomes as never)
    if (isObject(was) || Array.isArray(was)) differences.set(was, isDifferent)
    return isDifferent
  }
  for (const entry of before.metadata.managedFields ?? []) {
    // Other managers write subresources regularly, and no manifest sets them.
    if (entry.manager === manager || (entry.subresource ?? '') !== '') continue
    const walk = (fields: unknown, was: unknown, becomes: unknown, path: Path | undefined) => {
      const members = isObject(fields) ? Object.entries(fields).filter(([name]) => name !== '.') : []
      if (members.length === 0 && path !== undefined && differs(was, becomes)) {
        const change = isSecret(before) ? 'changes' : becomes === undefined ? 'is removed' : changeText(was, becomes)
        warnings.add(`${pathText(path)} is managed by ${JSON.stringify(entry.manager ?? '')} and ${change}`)
      }
      for (const [name, below] of members) {
        const step = stepOf(name)
        const had = step && valueAt(was, step, elements)
        if (step === undefined || had === undefined) continue
        walk(below, had, valueAt(becomes, step, elements), { before: path, step })
      }
    }
    walk(entry.fieldsV1, before, after, undefined)
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

/** A step of FieldsV1: https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
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

function valueAt(value: unknown, step: Step, elements: ElementIndex): unknown {
  if ('field' in step) return isObject(value) && Object.hasOwn(value, step.field) ? value[step.field] : undefined
  if (!Array.isArray(value)) return undefined
  if ('index' in step) return value[step.index]
  return 'value' in step ? elements.withValue(value, step.value) : elements.withKey(value, step.key)
}

/** More than any list of a schema has: others are made up, and get no warnings. */
const MAX_KEYS = 6
const MAX_INDEXES = 4

/** The elements of lists by their keys and values. They are looked up, because a list can have very many. */
class ElementIndex {
  readonly #lists = new Map<readonly unknown[], Map<string, Map<string, unknown>>>()

  withValue(list: readonly unknown[], value: unknown): unknown {
    return this.#elements(list, '', (item) => JSON.stringify(item))?.get(JSON.stringify(value))
  }

  /** A key that has a default may be absent from the element. */
  withKey(list: readonly unknown[], key: Readonly<Record<string, unknown>>): unknown {
    const names = Object.keys(key).sort()
    if (names.length > MAX_KEYS) return undefined
    const textOf = (fields: Readonly<Record<string, unknown>>, given: (name: string) => boolean) =>
      JSON.stringify(names.map((name) => (given(name) ? fields[name] : undefined)))
    const elements = this.#elements(list, JSON.stringify(names), (item) =>
      isObject(item) ? textOf(item, (name) => Object.hasOwn(item, name)) : undefined,
    )
    // Each bit is for a name that is absent from the element; none is first.
    for (let absent = 0; elements !== undefined && absent < 1 << names.length; absent++) {
      const found = elements.get(textOf(key, (name) => (absent & (1 << names.indexOf(name))) === 0))
      if (found !== undefined) return found
    }
    return undefined
  }

  #elements(
    list: readonly unknown[],
    by: string,
    keyOf: (item: unknown) => string | undefined,
  ): ReadonlyMap<string, unknown> | undefined {
    const indexes = this.#lists.get(list) ?? new Map<string, Map<string, unknown>>()
    this.#lists.set(list, indexes)
    const known = indexes.get(by)
    if (known !== undefined || indexes.size >= MAX_INDEXES) return known
    const elements = new Map<string, unknown>()
    for (const item of list) {
      const key = keyOf(item)
      if (key !== undefined && !elements.has(key)) elements.set(key, item)
    }
    indexes.set(by, elements)
    return elements
  }
}

function pathText(path: Path): string {
  const steps: Step[] = []
  for (let at: Path | undefined = path; at !== undefined; at = at.before) steps.push(at.step)
  return steps
    .reverse()
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
