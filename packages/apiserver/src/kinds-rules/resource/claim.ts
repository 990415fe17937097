import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  isObject,
} from '@orrery/kinds/values'
import type { Check, StructCheck } from '../check.js'
import { childOf, has, numberOf, structsOf, textOf, type Value } from '../read.js'
import { checkItems, checkSet, textKey } from './lists.js'
import { className, driverName, fullyQualifiedName, labelName, labelValue, requestName } from './names.js'
import { deviceSelector } from './selector.js'

const MAX_REQUESTS = 32
const MAX_SUBREQUESTS = 8
const MAX_SELECTORS = 32
const MAX_CONSTRAINTS = 32
export const MAX_CONFIGS = 32
const MAX_PARAMETERS_BYTES = 10 * 1024

const nameKey = (item: JsonValue) => textOf(item, 'name')

export const deviceSelectors: StructCheck = (owner, at, errors) =>
  checkItems(owner, 'selectors', at, MAX_SELECTORS, deviceSelector, errors)

const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'None']

export function checkTaintEffect(effect: string, at: string, errors: FieldError[]): void {
  if (!TAINT_EFFECTS.includes(effect)) errors.push(fieldNotSupported(at, effect, TAINT_EFFECTS))
}

const toleration: Check = (value, at, errors) => {
  const key = textOf(value, 'key')
  if (key !== '') labelName(key, `${at}.key`, errors)
  const operator = textOf(value, 'operator')
  const tolerated = textOf(value, 'value')
  if (operator === 'Exists') {
    if (tolerated !== '') errors.push(fieldInvalid(`${at}.value`, tolerated, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') labelValue(tolerated, `${at}.value`, errors)
  else if (operator === '') errors.push(fieldRequired(`${at}.operator`))
  else errors.push(fieldNotSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
  const effect = textOf(value, 'effect')
  if (effect !== '') checkTaintEffect(effect, `${at}.effect`, errors)
}

function checkAllocationMode(request: JsonObject, at: string, errors: FieldError[]): void {
  const mode = textOf(request, 'allocationMode')
  const count = numberOf(request, 'count')
  if (mode === 'All') {
    const detail = "must not be specified when allocationMode is 'All'"
    if (count !== 0) errors.push(fieldInvalid(`${at}.count`, count, detail))
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.push(fieldInvalid(`${at}.count`, count, 'must be greater than zero'))
  } else errors.push(fieldNotSupported(`${at}.allocationMode`, mode, ['All', 'ExactCount']))
}

const exactRequest: StructCheck = (request, at, errors) => {
  className(request.deviceClassName, `${at}.deviceClassName`, errors)
  deviceSelectors(request, at, errors)
  checkAllocationMode(request, at, errors)
  checkItems(request, 'tolerations', at, Number.POSITIVE_INFINITY, toleration, errors)
}

const subRequest: StructCheck = (request, at, errors) => {
  requestName(request.name, `${at}.name`, errors)
  exactRequest(request, at, errors)
}

const ONE_OF_TWO = 'exactly one of `exactly` or `firstAvailable` is required'

const deviceRequest: StructCheck = (request, at, errors) => {
  requestName(request.name, `${at}.name`, errors)
  const exactly = childOf(request, 'exactly')
  const hasChoices = structsOf(request, 'firstAvailable').length > 0
  if (exactly !== undefined && hasChoices) {
    errors.push(fieldInvalid(at, null, `${ONE_OF_TWO}, but multiple fields are set`))
  } else if (hasChoices) checkSet(request, 'firstAvailable', at, MAX_SUBREQUESTS, subRequest, nameKey, errors)
  else if (exactly !== undefined) exactRequest(exactly, `${at}.exactly`, errors)
  else errors.push(fieldRequired(at, ONE_OF_TWO))
}

/** The requests of a claim with their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

export function requestNamesOf(devices: Value): RequestNames {
  return new Map(
    structsOf(devices, 'requests').map((request) => [
      textOf(request, 'name'),
      new Set(structsOf(request, 'firstAvailable').map((one) => textOf(one, 'name'))),
    ]),
  )
}

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** A reference to a request or to one of its subrequests. */
export function requestReference(names: RequestNames): Check {
  return (value, at, errors) => {
    const reference = String(value ?? '')
    const segments = reference.split('/')
    if (segments.length > 2) return void errors.push(fieldInvalid(at, reference, NO_REQUEST))
    for (const segment of segments) requestName(segment, at, errors)
    const [request = '', sub] = segments
    const found = names.get(request)
    if (found === undefined || (sub !== undefined && !found.has(sub))) {
      errors.push(fieldInvalid(at, reference, NO_REQUEST))
    }
  }
}

export function checkRequestReferences(owner: Value, at: string, names: RequestNames, errors: FieldError[]): void {
  checkSet(owner, 'requests', at, MAX_REQUESTS, requestReference(names), textKey, errors)
}

const ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'

function constraint(names: RequestNames): Check {
  return (value, at, errors) => {
    const { matchAttribute, distinctAttribute } = value as JsonObject
    checkRequestReferences(value, at, names, errors)
    if (has(value, 'matchAttribute')) fullyQualifiedName(matchAttribute, `${at}.matchAttribute`, errors)
    else if (has(value, 'distinctAttribute')) fullyQualifiedName(distinctAttribute, `${at}.distinctAttribute`, errors)
    else errors.push(fieldRequired(at, ONE_ATTRIBUTE))
  }
}

/** Opaque JSON for a driver: an object of limited size. */
export function checkRaw(value: Value, at: string, limit: number, errors: FieldError[]): void {
  if (value === undefined || value === null) errors.push(fieldRequired(at))
  else if (Buffer.byteLength(JSON.stringify(value)) > limit) errors.push(fieldTooLong(at, limit))
  else if (!isObject(value)) errors.push(fieldInvalid(at, '<value omitted>', 'must be a valid JSON object'))
}

/** Parameters for the driver of a device. */
export const deviceConfiguration: Check = (value, at, errors) => {
  const opaque = childOf(value, 'opaque')
  if (opaque === undefined) return void errors.push(fieldRequired(`${at}.opaque`))
  driverName(opaque.driver, `${at}.opaque.driver`, errors)
  checkRaw(opaque.parameters, `${at}.opaque.parameters`, MAX_PARAMETERS_BYTES, errors)
}

/**
 * Limits the total length of the expressions of a claim: each is compiled, and the most expensive take 10 ms for 1 KiB.
 */
const MAX_EXPRESSIONS_LENGTH = 128 * 1024

function expressionsLength(devices: JsonObject): number {
  let length = 0
  for (const request of structsOf(devices, 'requests')) {
    for (const owner of [childOf(request, 'exactly'), ...structsOf(request, 'firstAvailable')]) {
      for (const selector of structsOf(owner, 'selectors'))
        length += textOf(childOf(selector, 'cel'), 'expression').length
    }
  }
  return length
}

/** `spec.devices` of a ResourceClaim. */
export const deviceClaim: StructCheck = (devices, at, errors) => {
  if (expressionsLength(devices) > MAX_EXPRESSIONS_LENGTH) {
    const detail = `the expressions of all selectors may not be longer than ${MAX_EXPRESSIONS_LENGTH} characters together`
    return void errors.push(fieldForbidden(`${at}.requests`, detail))
  }
  const names = requestNamesOf(devices)
  checkSet(devices, 'requests', at, MAX_REQUESTS, deviceRequest, nameKey, errors)
  checkItems(devices, 'constraints', at, MAX_CONSTRAINTS, constraint(names), errors)
  const configuration: Check = (value, path, found) => {
    checkRequestReferences(value, path, names, found)
    deviceConfiguration(value, path, found)
  }
  checkItems(devices, 'config', at, MAX_CONFIGS, configuration, errors)
}
