import type { JsonObject } from '@orrery/kinds'
import {
  compareQuantity,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  formatQuantity,
  isQualifiedName,
  keyPath,
  parseQuantity,
  type Quantity,
  quantityAtScale,
  quantityIsInteger,
  quantityOf,
} from '@orrery/kinds/values'
import { type Check, NOT_NEGATIVE, reportFormat } from './check.js'
import { childOf, entriesOf, entryOf, type Value } from './read.js'

const ZERO = quantityOf(0)
const HUGE_PAGES = 'hugepages-'
const REQUESTS = 'requests.'

const CONTAINER_RESOURCES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']

const COUNTED_RESOURCES: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]

const QUOTA_RESOURCES: readonly string[] = [
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...COUNTED_RESOURCES,
]

const STANDARD_RESOURCES: readonly string[] = [...QUOTA_RESOURCES, 'storage']

/** Parses a quantity that the schema has validated. */
export function quantity(value: Value): Quantity {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : ZERO
}

export function compare(a: Value, b: Value): number {
  return compareQuantity(quantity(a), quantity(b))
}

export function isNegative(value: Value): boolean {
  return compareQuantity(quantity(value), ZERO) < 0
}

export function isPositive(value: Value): boolean {
  return compareQuantity(quantity(value), ZERO) > 0
}

export function shown(value: Value): string {
  return formatQuantity(quantity(value))
}

function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES)
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith(REQUESTS + HUGE_PAGES)
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

/** Returns whether a resource can be overcommitted: CPU and memory can, devices cannot. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name)
}

export function isExtendedResource(name: string): boolean {
  return !isNative(name) && !name.startsWith(REQUESTS) && isQualifiedName(REQUESTS + name).length === 0
}

export function isStandardQuotaResource(name: string): boolean {
  return QUOTA_RESOURCES.includes(name) || isQuotaHugePages(name)
}

/** The name of a resource: a known one, or one with a domain. */
export function checkResourceName(name: string, at: string, errors: FieldError[]): boolean {
  const before = errors.length
  reportFormat(isQualifiedName, name, at, errors)
  if (
    errors.length === before &&
    !name.includes('/') &&
    !STANDARD_RESOURCES.includes(name) &&
    !isQuotaHugePages(name)
  ) {
    errors.push(fieldInvalid(at, name, 'must be a standard resource type or fully qualified'))
  }
  return errors.length === before
}

/** The name of a resource that a container can request. */
export function checkContainerResourceName(name: string, at: string, errors: FieldError[]): void {
  checkResourceName(name, at, errors)
  if (!name.includes('/')) {
    if (!CONTAINER_RESOURCES.includes(name) && !isHugePages(name)) {
      errors.push(fieldInvalid(at, name, 'must be a standard resource for containers'))
    }
  } else if (!isNative(name) && !isExtendedResource(name)) {
    errors.push(fieldInvalid(at, name, "doesn't follow extended resource name standard"))
  }
}

/** The name of a resource that a quota can limit. */
export function checkQuotaResourceName(name: string, at: string, errors: FieldError[]): void {
  checkResourceName(name, at, errors)
  if (!name.includes('/') && !isStandardQuotaResource(name)) {
    errors.push(fieldInvalid(at, name, 'must be a standard resource for quota'))
  }
}

/** An amount of a resource: not negative, and an integer for integer resources. */
export function checkAmount(name: string, value: Value, at: string, errors: FieldError[]): void {
  const amount = quantity(value)
  if (compareQuantity(amount, ZERO) < 0) errors.push(fieldInvalid(at, formatQuantity(amount), NOT_NEGATIVE))
  if ((COUNTED_RESOURCES.includes(name) || isExtendedResource(name)) && !quantityIsInteger(amount)) {
    errors.push(fieldInvalid(at, formatQuantity(amount), 'must be an integer'))
  }
}

export const nonNegativeQuantity: Check = (value, at, errors) => {
  if (isNegative(value)) errors.push(fieldInvalid(at, shown(value), NOT_NEGATIVE))
}

export const positiveQuantity: Check = (value, at, errors) => {
  if (!isPositive(value)) errors.push(fieldInvalid(at, shown(value), 'must be greater than zero'))
}

/** `status.capacity` of volumes and claims: any non-negative amount. */
export const basicResource: Check = (value, at, errors) => {
  const amount = quantity(value)
  if (compareQuantity(amount, ZERO) < 0) {
    errors.push(fieldInvalid(at, Number(quantityAtScale(amount, 0)), 'must be a valid resource quantity'))
  }
}

type NameCheck = (name: string, at: string, errors: FieldError[]) => void

/** `resources` of a container or a pod: known names, valid amounts, requests within limits. */
export function checkRequirements(
  resources: JsonObject,
  at: string,
  errors: FieldError[],
  checkName: NameCheck = checkContainerResourceName,
): void {
  const limits = childOf(resources, 'limits')
  const names = new Set<string>()
  for (const [name, value] of entriesOf(resources, 'limits')) {
    names.add(name)
    checkResource(name, value, keyPath(`${at}.limits`, name), errors, checkName)
  }
  for (const [name, value] of entriesOf(resources, 'requests')) {
    names.add(name)
    checkResource(name, value, keyPath(`${at}.requests`, name), errors, checkName)
    checkWithinLimit(name, value, entryOf(limits, name), at, errors)
  }
  if ([...names].some(isHugePages) && !names.has('cpu') && !names.has('memory')) {
    errors.push(fieldForbidden(at, 'HugePages require cpu or memory'))
  }
}

function checkResource(name: string, value: Value, at: string, errors: FieldError[], checkName: NameCheck): void {
  checkName(name, at, errors)
  checkAmount(name, value, at, errors)
  if (isHugePages(name) && !isWholePages(name, value)) {
    errors.push(fieldInvalid(at, shown(value), `${shown(value)} is not positive integer multiple of ${name}`))
  }
}

function checkWithinLimit(name: string, value: Value, limit: Value, at: string, errors: FieldError[]): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      errors.push(fieldRequired(`${at}.limits`, 'Limit must be set for non overcommitable resources'))
    }
    return
  }
  const order = compare(value, limit)
  if (order !== 0 && !isOvercommitAllowed(name)) {
    errors.push(fieldInvalid(`${at}.requests`, shown(value), `must be equal to ${name} limit of ${shown(limit)}`))
  } else if (order > 0) {
    const detail = `must be less than or equal to ${name} limit of ${shown(limit)}`
    errors.push(fieldInvalid(`${at}.requests`, shown(value), detail))
  }
}

function isWholePages(name: string, value: Value): boolean {
  let page: bigint
  try {
    page = quantityAtScale(parseQuantity(name.slice(HUGE_PAGES.length)), 0)
  } catch {
    return false
  }
  return page > 0n && quantityAtScale(quantity(value), 0) % page === 0n
}
