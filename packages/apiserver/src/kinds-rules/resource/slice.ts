import type { JsonObject } from '@orrery/kinds'
import { type FieldError, fieldInvalid, fieldRequired, isDNS1123Subdomain } from '@orrery/kinds/values'
import { changes, immutable, type ObjectChange } from '../change.js'
import { type Check, reportFormat, type StructCheck } from '../check.js'
import { nodeSelector } from '../node-selector.js'
import { childOf, entriesOf, has, numberOf, structsOf, textOf } from '../read.js'
import { checkCounters, device } from './device.js'
import { checkSet } from './lists.js'
import { counterName, driverName, poolName } from './names.js'

const MAX_DEVICES = 128
/** The limit for slices with taints, counters or lists of values, which are larger. */
const MAX_LARGE_DEVICES = 64
const MAX_COUNTER_SETS = 8
const ONE_OF_FOUR = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
const UNSET_OR_TRUE = 'must be either unset or set to true'

/** Returns which of the mutually exclusive node fields are set, and reports empty ones. */
function placements(spec: JsonObject, at: string, errors: FieldError[]): string[] {
  const found: string[] = []
  if (has(spec, 'nodeName')) {
    const name = textOf(spec, 'nodeName')
    if (name === '') {
      errors.push(fieldInvalid(`${at}.nodeName`, name, 'must be either unset or set to a non-empty string'))
    } else {
      found.push('`nodeName`')
      reportFormat(isDNS1123Subdomain, name, `${at}.nodeName`, errors)
    }
  }
  const selector = childOf(spec, 'nodeSelector')
  if (selector !== undefined) {
    found.push('`nodeSelector`')
    nodeSelector(selector, `${at}.nodeSelector`, errors)
    const terms = structsOf(selector, 'nodeSelectorTerms')
    if (terms.length !== 1) {
      const detail = 'must have exactly one node selector term'
      errors.push(fieldInvalid(`${at}.nodeSelector.nodeSelectorTerms`, terms, detail))
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    if (spec[name] === true) found.push(`\`${name}\``)
    else if (has(spec, name)) errors.push(fieldInvalid(`${at}.${name}`, false, UNSET_OR_TRUE))
  }
  return found
}

function checkPlacement(spec: JsonObject, at: string, errors: FieldError[]): void {
  const found = placements(spec, at, errors)
  if (found.length === 0) errors.push(fieldRequired(at, ONE_OF_FOUR))
  if (found.length < 2) return
  errors.push(fieldInvalid(at, `{${found.join(', ')}}`, `${ONE_OF_FOUR}, but multiple fields are set`))
}

function isLarge(one: JsonObject): boolean {
  if (structsOf(one, 'taints').length > 0 || structsOf(one, 'consumesCounters').length > 0) return true
  const lists = ['ints', 'bools', 'strings', 'versions']
  return entriesOf(one, 'attributes').some(([, attribute]) => lists.some((list) => has(attribute, list)))
}

const counterSet: Check = (value, at, errors) => {
  counterName((value as JsonObject).name, `${at}.name`, errors)
  checkCounters(value as JsonObject, at, errors)
}

/** A ResourceSlice: a part of the devices of a driver. */
export const resourceSlice: StructCheck = (slice, _at, errors) => {
  const spec = childOf(slice, 'spec') ?? {}
  const pool = childOf(spec, 'pool')
  driverName(spec.driver, 'spec.driver', errors)
  poolName(pool?.name, 'spec.pool.name', errors)
  const count = numberOf(pool, 'resourceSliceCount')
  if (count <= 0) errors.push(fieldInvalid('spec.pool.resourceSliceCount', count, 'must be greater than zero'))
  const generation = numberOf(pool, 'generation')
  if (generation < 0) {
    errors.push(fieldInvalid('spec.pool.generation', generation, 'must be greater than or equal to zero'))
  }
  checkPlacement(spec, 'spec', errors)
  if (has(spec, 'sharedCounters') && has(spec, 'devices')) {
    errors.push(fieldInvalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'))
  }
  const limit = structsOf(spec, 'devices').some(isLarge) ? MAX_LARGE_DEVICES : MAX_DEVICES
  const each = device(spec.perDeviceNodeSelection === true)
  checkSet(spec, 'devices', 'spec', limit, each, (item) => textOf(item, 'name'), errors)
  checkSet(spec, 'sharedCounters', 'spec', MAX_COUNTER_SETS, counterSet, (item) => textOf(item, 'name'), errors)
}

/** The pool, driver and node of a slice are immutable. */
export const sliceKept: ObjectChange = changes({
  'spec.pool.name': immutable(),
  'spec.driver': immutable(),
  'spec.nodeName': immutable(),
})
