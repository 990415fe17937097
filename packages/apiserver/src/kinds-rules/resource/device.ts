import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  indexPath,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { type Check, reportFormat } from '../check.js'
import { nodeSelector } from '../node-selector.js'
import { childOf, entriesOf, has, listOf, textOf, type Value } from '../read.js'
import { checkRequestPolicy } from './capacity.js'
import { checkTaintEffect } from './claim.js'
import { checkBindingConditions } from './claim-status.js'
import { checkItems, checkMap, checkSet } from './lists.js'
import { counterName, deviceName, labelName, labelValue, qualifiedName } from './names.js'

const MAX_ATTRIBUTES_AND_CAPACITIES = 32
const MAX_ATTRIBUTE_VALUES = 48
const MAX_ATTRIBUTE_BYTES = 64
const MAX_TAINTS = 16
const MAX_CONSUMPTIONS = 2
const MAX_COUNTERS = 32
const LISTS = ['bools', 'ints', 'strings', 'versions'] as const

const NUMBER = '(0|[1-9]\\d*)'
const PRERELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const BUILD = '[0-9a-zA-Z-]+'
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRERELEASE}(\\.${PRERELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`,
)

const text: Check = (value, at, errors) => {
  if (Buffer.byteLength(String(value)) > MAX_ATTRIBUTE_BYTES) errors.push(fieldTooLong(at, MAX_ATTRIBUTE_BYTES))
}

const version: Check = (value, at, errors) => {
  const detail = 'must be a string compatible with semver.org spec 2.0.0'
  if (!SEMVER.test(String(value))) errors.push(fieldInvalid(at, value, detail))
  text(value, at, errors)
}

const nothing: Check = () => undefined
const VALUES: Readonly<Record<string, Check>> = {
  bool: nothing,
  int: nothing,
  string: text,
  version,
  bools: nothing,
  ints: nothing,
  strings: text,
  versions: version,
}

const attribute: Check = (value, at, errors) => {
  let set = 0
  for (const [name, check] of Object.entries(VALUES)) {
    if (!has(value, name)) continue
    set++
    const path = `${at}.${name}`
    if (!name.endsWith('s')) check((value as JsonObject)[name], path, errors)
    const items = listOf(value, name)
    if (name.endsWith('s') && items.length === 0) {
      errors.push(fieldInvalid(path, [], 'must not be empty if specified'))
    }
    for (const [index, item] of items.entries()) check(item, indexPath(path, index), errors)
  }
  if (set === 1) return
  errors.push(fieldInvalid(at, set === 0 ? '' : value, 'exactly one value must be specified'))
}

function capacity(isShared: boolean): Check {
  return (value, at, errors) => {
    const policy = childOf(value, 'requestPolicy')
    if (policy === undefined) return
    if (isShared) checkRequestPolicy((value as JsonObject).value, policy, `${at}.requestPolicy`, errors)
    else errors.push(fieldForbidden(`${at}.requestPolicy`, 'allowMultipleAllocations must be true'))
  }
}

const taint: Check = (value, at, errors) => {
  labelName(textOf(value, 'key'), `${at}.key`, errors)
  const worth = textOf(value, 'value')
  if (worth !== '') labelValue(worth, `${at}.value`, errors)
  const effect = textOf(value, 'effect')
  if (effect === '') errors.push(fieldRequired(`${at}.effect`))
  else checkTaintEffect(effect, `${at}.effect`, errors)
}

export function checkCounters(owner: JsonObject, at: string, errors: FieldError[]): void {
  if (entriesOf(owner, 'counters').length === 0) return void errors.push(fieldRequired(`${at}.counters`))
  checkMap(owner, 'counters', at, MAX_COUNTERS, counterName, nothing, errors)
}

const consumption: Check = (value, at, errors) => {
  counterName((value as JsonObject).counterSet, `${at}.counterSet`, errors)
  checkCounters(value as JsonObject, at, errors)
}

function attributeValues(one: Value): number {
  let count = 0
  for (const [, value] of entriesOf(one, 'attributes')) {
    const items = LISTS.reduce((sum, list) => sum + listOf(value, list).length, 0)
    count += Math.max(1, items)
  }
  return count
}

const ONE_OF_THREE =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
const ONLY_PER_DEVICE =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'

function checkPlacement(one: JsonObject, at: string, errors: FieldError[]): void {
  const found: string[] = []
  if (has(one, 'nodeName')) {
    const name = textOf(one, 'nodeName')
    if (name === '') errors.push(fieldInvalid(`${at}.nodeName`, name, 'must not be empty'))
    else {
      found.push('`nodeName`')
      reportFormat(isDNS1123Subdomain, name, `${at}.nodeName`, errors)
    }
  }
  const selector = childOf(one, 'nodeSelector')
  if (selector !== undefined) {
    found.push('`nodeSelector`')
    nodeSelector(selector, `${at}.nodeSelector`, errors)
  }
  if (one.allNodes === true) found.push('`allNodes`')
  else if (has(one, 'allNodes')) {
    errors.push(fieldInvalid(`${at}.allNodes`, false, 'must be either unset or set to true'))
  }
  if (found.length === 0) errors.push(fieldRequired(at, ONE_OF_THREE))
  if (found.length > 1) errors.push(fieldInvalid(at, `{${found.join(', ')}}`, ONE_OF_THREE))
}

/** One device of a slice. Its node is set on the device or on the slice. */
export function device(isPlacedAlone: boolean): Check {
  return (value, at, errors) => {
    const one = value as JsonObject
    deviceName(one.name, `${at}.name`, errors)
    const entries = entriesOf(one, 'attributes').length + entriesOf(one, 'capacity').length
    if (entries > MAX_ATTRIBUTES_AND_CAPACITIES) {
      const detail = `the total number of attributes and capacities must not exceed ${MAX_ATTRIBUTES_AND_CAPACITIES}`
      return void errors.push(fieldInvalid(at, entries, detail))
    }
    const values = attributeValues(one)
    if (values > MAX_ATTRIBUTE_VALUES) {
      const detail = `the total number of attribute values must not exceed ${MAX_ATTRIBUTE_VALUES}`
      errors.push(fieldInvalid(at, values, detail))
    }
    const all = Number.POSITIVE_INFINITY
    checkMap(one, 'attributes', at, all, qualifiedName, attribute, errors)
    checkMap(one, 'capacity', at, all, qualifiedName, capacity(one.allowMultipleAllocations === true), errors)
    checkItems(one, 'taints', at, MAX_TAINTS, taint, errors)
    checkSet(one, 'consumesCounters', at, MAX_CONSUMPTIONS, consumption, (item) => textOf(item, 'counterSet'), errors)
    if (isPlacedAlone) checkPlacement(one, at, errors)
    else if (has(one, 'nodeName') || has(one, 'nodeSelector') || has(one, 'allNodes')) {
      errors.push(fieldInvalid(at, null, ONLY_PER_DEVICE))
    }
    checkBindingConditions(one, at, errors)
  }
}
