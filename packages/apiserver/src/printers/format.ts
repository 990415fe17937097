import type { KubeObject } from '@orrery/kinds'
import { humanDuration, type LabelSelectorSpec, labelSelectorFrom } from '@orrery/kinds/values'
import { fieldsOf, itemsOf, text } from './fields.js'

/** Formats the age of a timestamp like `kubectl get`. */
export function since(timestamp: unknown, now: Date): string {
  const then = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now.getTime() - then)
}

export function age(object: KubeObject, now: Date): string {
  return since(object.metadata.creationTimestamp, now)
}

/** Formats labels as `a=1,b=2`, sorted by key. */
export function labelsText(labels: unknown): string {
  const entries = Object.entries(fieldsOf(labels)).map(([key, value]) => `${key}=${text(value)}`)
  return entries.length === 0 ? '<none>' : entries.sort().join(',')
}

/** Formats a LabelSelector as a string: `app=web,tier in (a,b),!old`. Empty if it is unset or selects everything. */
export function selectorText(selector: unknown): string {
  if (selector === undefined) return ''
  try {
    return labelSelectorFrom(fieldsOf(selector) as LabelSelectorSpec).text
  } catch {
    return '<error>'
  }
}

export function selectorTextOrNone(selector: unknown): string {
  return selectorText(selector) || '<none>'
}

/** Returns the first items of a list, and the number of the others: `a,b,c + 2 more...`. */
export function firstFew(list: readonly string[], max: number, separator = ','): string {
  const shown = list.slice(0, max).join(separator)
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown
}

export function yesNo(value: unknown): string {
  if (typeof value !== 'boolean') return '<unset>'
  return value ? 'True' : 'False'
}

export function containerNames(podSpec: unknown): string {
  return itemsOf(fieldsOf(podSpec).containers)
    .map(({ name }) => text(name))
    .join(',')
}

export function containerImages(podSpec: unknown): string {
  return itemsOf(fieldsOf(podSpec).containers)
    .map(({ image }) => text(image))
    .join(',')
}
