import { isObject, jsonEqual } from '@orrery/kinds/values'
import type { Operator } from '../config/task-config.js'

/** Whether a field of the data fulfils a condition. */
export function fulfils(actual: unknown, operator: Operator, expected: unknown): boolean {
  switch (operator) {
    case 'equals':
      return jsonEqual(actual ?? null, expected ?? null)
    case 'notEquals':
      return !jsonEqual(actual ?? null, expected ?? null)
    case 'in':
      return isIn(actual, expected)
    case 'notIn':
      return !isIn(actual, expected)
    case 'contains':
      return contains(actual, expected)
    case 'greaterThan':
      return numberOf(actual) > numberOf(expected)
    case 'lessThan':
      return numberOf(actual) < numberOf(expected)
    case 'exists':
      return exists(actual)
  }
}

const isIn = (value: unknown, list: unknown) =>
  Array.isArray(list) && list.some((item) => jsonEqual(item, value ?? null))

function contains(value: unknown, part: unknown): boolean {
  if (typeof value === 'string') return typeof part === 'string' && value.includes(part)
  if (Array.isArray(value)) return value.some((item) => jsonEqual(item, part))
  if (isObject(value)) return typeof part === 'string' && Object.hasOwn(value, part)
  throw new Error(`cannot look for ${JSON.stringify(part)} in ${JSON.stringify(value)}`)
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && !Number.isNaN(number)) return number
  throw new Error(`cannot compare ${JSON.stringify(value)} as a number`)
}

function exists(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
