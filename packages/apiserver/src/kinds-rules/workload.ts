import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isPercent,
} from '@orrery/kinds/values'
import { type Check, NOT_NEGATIVE, type StructCheck } from './check.js'
import { compileSelector, isEmptySelector, labelSelector } from './labels.js'
import { podTemplate } from './pod/pod-spec.js'
import { childOf, has, numberOf, textOf, type Value } from './read.js'

/** A non-negative number or percentage. */
export const intOrPercent: Check = (value, at, errors) => {
  if (typeof value === 'string') {
    for (const message of isPercent(value)) errors.push(fieldInvalid(at, value, message))
  } else if (typeof value === 'number' && value < 0) errors.push(fieldInvalid(at, value, NOT_NEGATIVE))
}

export const notMoreThanAll: Check = (value, at, errors) => {
  if (percentOf(value) > 100) errors.push(fieldInvalid(at, value, 'must not be greater than 100%'))
}

function percentOf(value: Value): number {
  return typeof value === 'string' && isPercent(value).length === 0 ? Number(value.slice(0, -1)) : 0
}

/** Returns whether a number or a percentage is zero. */
export function isNone(value: Value): boolean {
  return typeof value === 'number' ? value === 0 : percentOf(value) === 0
}

/** `selector` of a workload: required, valid and not empty. */
export function requiredSelector(emptyDetail: string): StructCheck {
  return (spec, at, errors) => {
    const selector = childOf(spec, 'selector')
    if (selector === undefined) return void errors.push(fieldRequired(`${at}.selector`))
    labelSelector(selector, `${at}.selector`, errors)
    if (isEmptySelector(selector)) errors.push(fieldInvalid(`${at}.selector`, selector, emptyDetail))
  }
}

/** The selector must match the labels of the template. */
export function checkSelected(spec: JsonObject, at: string, errors: FieldError[]): boolean {
  const selector = compileSelector(spec.selector)
  if (selector === undefined) return false
  const labels = childOf(childOf(spec, 'template'), 'metadata')?.labels
  if (!selector.matches(labels as Record<string, string> | undefined)) {
    const detail = '`selector` does not match template `labels`'
    errors.push(fieldInvalid(`${at}.template.metadata.labels`, labels ?? null, detail))
  }
  return true
}

/** The template of a workload with `restartPolicy: Always`. `kind` is its name in messages. */
export function alwaysRunning(kind: string): StructCheck {
  return (spec, at, errors) => {
    const template = childOf(spec, 'template') ?? {}
    podTemplate(template, `${at}.template`, errors)
    const podSpec = childOf(template, 'spec')
    const policy = textOf(podSpec, 'restartPolicy')
    if (policy !== 'Always') errors.push(fieldNotSupported(`${at}.template.spec.restartPolicy`, policy, ['Always']))
    if (has(podSpec, 'activeDeadlineSeconds')) {
      const detail = `activeDeadlineSeconds in ${kind} is not Supported`
      errors.push(fieldForbidden(`${at}.template.spec.activeDeadlineSeconds`, detail))
    }
  }
}

/** Counts in a status: not negative, and none greater than its total. */
export function replicaCounts(
  names: readonly string[],
  bounds: readonly (readonly [name: string, limit: string, detail: string])[],
): (object: JsonObject, errors: FieldError[]) => void {
  return (object, errors) => {
    const status = childOf(object, 'status')
    for (const name of names) {
      const count = numberOf(status, name)
      if (count < 0) errors.push(fieldInvalid(`status.${name}`, count, NOT_NEGATIVE))
    }
    for (const [name, limit, detail] of bounds) {
      if (numberOf(status, name) > numberOf(status, limit)) {
        errors.push(fieldInvalid(`status.${name}`, numberOf(status, name), detail))
      }
    }
  }
}
