import type { JsonObject, JsonValue } from '@orrery/kinds'
import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired, fieldTooMany } from '@orrery/kinds/values'
import { immutable, type ObjectChange } from '../change.js'
import { atMostBytes, type Check, oneOf } from '../check.js'
import { parseCidr } from '../network.js'
import { nodeSelector } from '../node-selector.js'
import { childOf, has, listOf, sameValue, structsOf, textOf, textsOf } from '../read.js'
import {
  checkRaw,
  checkRequestReferences,
  deviceConfiguration,
  MAX_CONFIGS,
  type RequestNames,
  requestNamesOf,
  requestReference,
} from './claim.js'
import { checkItems, checkSet, textKey } from './lists.js'
import { deviceName, driverName, labelName, poolName, shareId } from './names.js'

const MAX_CONSUMERS = 256
const MAX_RESULTS = 32
const MAX_CONDITIONS = 8
const MAX_DATA_BYTES = 10 * 1024
const MAX_ADDRESSES = 16
const MAX_BINDING_CONDITIONS = 4

/** Returns the identity of an allocated device of a claim. */
export function deviceKey(device: JsonValue): string {
  const id = `${textOf(device, 'driver')}/${textOf(device, 'pool')}/${textOf(device, 'device')}`
  return has(device, 'shareID') ? `${id}/${textOf(device, 'shareID')}` : id
}

/** The binding conditions of a device or of its allocation. */
export function checkBindingConditions(device: JsonObject, at: string, errors: FieldError[]): void {
  const [wanted, failed] = ['bindingConditions', 'bindingFailureConditions'] as const
  checkSet(device, wanted, at, MAX_BINDING_CONDITIONS, labelName, textKey, errors)
  checkSet(device, failed, at, MAX_BINDING_CONDITIONS, labelName, textKey, errors)
  const conditions = textsOf(device, wanted)
  const failures = textsOf(device, failed)
  for (const [index, condition] of failures.entries()) {
    if (!conditions.includes(condition)) continue
    const detail = 'bindingFailureConditions must not overlap with bindingConditions'
    errors.push(fieldInvalid(`${at}.${failed}[${index}]`, condition, detail))
  }
  if (conditions.length === 0 && failures.length > 0) {
    errors.push(fieldInvalid(`${at}.${wanted}`, null, `${wanted} are required to use ${failed}`))
  }
  if (failures.length === 0 && conditions.length > 0) {
    errors.push(fieldInvalid(`${at}.${failed}`, null, `${failed} are required to use ${wanted}`))
  }
}

const consumer: Check = (value, at, errors) => {
  for (const field of ['resource', 'name', 'uid']) {
    if (textOf(value, field) === '') errors.push(fieldRequired(`${at}.${field}`))
  }
}

function allocationResult(names: RequestNames): Check {
  return (value, at, errors) => {
    const result = value as JsonObject
    requestReference(names)(result.request, `${at}.request`, errors)
    driverName(result.driver, `${at}.driver`, errors)
    poolName(result.pool, `${at}.pool`, errors)
    deviceName(result.device, `${at}.device`, errors)
    checkBindingConditions(result, at, errors)
    if (has(result, 'shareID')) shareId(result.shareID, `${at}.shareID`, errors)
  }
}

function allocatedConfiguration(names: RequestNames): Check {
  return (value, at, errors) => {
    oneOf('FromClaim', 'FromClass')((value as JsonObject).source, `${at}.source`, errors)
    checkRequestReferences(value, at, names, errors)
    deviceConfiguration(value, at, errors)
  }
}

function checkAllocation(allocation: JsonObject, names: RequestNames, errors: FieldError[]): void {
  const at = 'status.allocation'
  const devices = childOf(allocation, 'devices')
  checkItems(devices, 'results', `${at}.devices`, MAX_RESULTS, allocationResult(names), errors)
  checkItems(devices, 'config', `${at}.devices`, 2 * MAX_CONFIGS, allocatedConfiguration(names), errors)
  const selector = childOf(allocation, 'nodeSelector')
  if (selector !== undefined) nodeSelector(selector, `${at}.nodeSelector`, errors)
}

const interfaceAddress: Check = (value, at, errors) => {
  const detail = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'
  if (parseCidr(String(value)) === undefined) errors.push(fieldInvalid(at, value, detail))
}

function deviceStatus(allocated: ReadonlySet<string>): Check {
  return (value, at, errors) => {
    const device = value as JsonObject
    driverName(device.driver, `${at}.driver`, errors)
    poolName(device.pool, `${at}.pool`, errors)
    deviceName(device.device, `${at}.device`, errors)
    if (has(device, 'shareID')) shareId(device.shareID, `${at}.shareID`, errors)
    const key = deviceKey(device)
    if (!allocated.has(key)) errors.push(fieldInvalid(at, key, 'must be an allocated device in the claim'))
    const { length } = listOf(device, 'conditions')
    if (length > MAX_CONDITIONS) errors.push(fieldTooMany(`${at}.conditions`, length, MAX_CONDITIONS))
    if (has(device, 'data')) checkRaw(device.data, `${at}.data`, MAX_DATA_BYTES, errors)
    const network = childOf(device, 'networkData')
    if (network === undefined) return
    atMostBytes(256)(network.interfaceName, `${at}.networkData.interfaceName`, errors)
    atMostBytes(128)(network.hardwareAddress, `${at}.networkData.hardwareAddress`, errors)
    checkSet(network, 'ips', `${at}.networkData`, MAX_ADDRESSES, interfaceAddress, textKey, errors)
  }
}

/** The allowed changes to the status of a ResourceClaim. */
export const claimStatus: ObjectChange = (claim, old, errors) => {
  const status = childOf(claim, 'status') ?? {}
  const oldStatus = childOf(old, 'status') ?? {}
  const names = requestNamesOf(childOf(childOf(claim, 'spec'), 'devices'))
  checkSet(status, 'reservedFor', 'status', MAX_CONSUMERS, consumer, (item) => textOf(item, 'uid'), errors)
  const allocation = childOf(status, 'allocation')
  const allocated = new Set(structsOf(childOf(allocation, 'devices'), 'results').map(deviceKey))
  checkSet(status, 'devices', 'status', Number.POSITIVE_INFINITY, deviceStatus(allocated), deviceKey, errors)
  checkConsumers(claim, status, oldStatus, errors)
  if (allocation === undefined) return
  if (has(oldStatus, 'allocation')) {
    immutable()(allocation, oldStatus.allocation, 'status.allocation', errors)
  } else checkAllocation(allocation, names, errors)
}

function checkConsumers(claim: JsonObject, status: JsonObject, old: JsonObject, errors: FieldError[]): void {
  const consumers = structsOf(status, 'reservedFor')
  if (consumers.length === 0) return
  const at = 'status.reservedFor'
  if (!has(status, 'allocation')) {
    errors.push(fieldForbidden(at, 'may not be specified when `allocated` is not set'))
  } else if (has(childOf(claim, 'metadata'), 'deletionTimestamp')) {
    const known = structsOf(old, 'reservedFor')
    if (consumers.every((one) => known.some((other) => sameValue(one, other)))) return
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
    errors.push(fieldForbidden(at, detail))
  }
}
