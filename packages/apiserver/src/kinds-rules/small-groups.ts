import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import { changes, frozen, immutable } from './change.js'
import {
  type Check,
  formatted,
  named,
  nonNegative,
  optionally,
  reportFormat,
  type StructCheck,
  strictlyOneOf,
  struct,
} from './check.js'
import { CLUSTER_WIDE, type GroupRules, NAMESPACED } from './kind.js'
import { labelMap, labelSelector } from './labels.js'
import { checkEndpointIp, isIpv6, legacyIp } from './network.js'
import { preemptionPolicy } from './pod/pod-spec.js'
import { toleration } from './pod/scheduling.js'
import { checkRequirements } from './quantities.js'
import { childOf, has, numberOf, optionalNumber, structsOf, textOf, textsOf } from './read.js'
import { intOrPercent, notMoreThanAll } from './workload.js'

const MAX_USER_PRIORITY = 1_000_000_000
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

const priorityClass: StructCheck = (object, _at, errors) => {
  const name = textOf(childOf(object, 'metadata'), 'name')
  const value = numberOf(object, 'value')
  if (name.startsWith('system-')) {
    const known = Object.hasOwn(SYSTEM_PRIORITIES, name) ? SYSTEM_PRIORITIES[name] : undefined
    if (known !== undefined && known === value && object.globalDefault !== true) return
    const why =
      known === undefined
        ? `${name} is not a known system priority class`
        : known !== value
          ? `value of ${name} PriorityClass must be ${known}`
          : `globalDefault of ${name} PriorityClass must be false`
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`
    errors.push(fieldForbidden('metadata.name', detail))
  } else if (value > MAX_USER_PRIORITY) {
    errors.push(fieldForbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`))
  }
}

export const schedulingGroup: GroupRules = {
  PriorityClass: {
    ...CLUSTER_WIDE,
    valid: struct({ '. priority': priorityClass, 'preemptionPolicy?': preemptionPolicy }),
    revalidated: false,
    onUpdate: {
      '': changes({ value: frozen('may not be changed in an update.'), preemptionPolicy: immutable() }),
    },
  },
}

const leaseSpec: StructCheck = (spec, at, errors) => {
  const duration = optionalNumber(spec, 'leaseDurationSeconds')
  if (duration !== undefined && duration <= 0) {
    errors.push(fieldInvalid(`${at}.leaseDurationSeconds`, duration, 'must be greater than 0'))
  }
  nonNegative(spec.leaseTransitions, `${at}.leaseTransitions`, errors)
  const strategy = textOf(spec, 'strategy')
  if (strategy.includes('/')) reportFormat(isQualifiedName, strategy, `${at}.strategy.strategy`, errors)
  else if (has(spec, 'strategy') && strategy !== 'OldestEmulationVersion') {
    errors.push(fieldNotSupported(`${at}.strategy.strategy`, strategy, ['OldestEmulationVersion']))
  }
  if (textOf(spec, 'preferredHolder') !== '' && strategy === '') {
    errors.push(fieldForbidden(`${at}.preferredHolder`, 'may only be specified if `strategy` is defined'))
  }
}

export const coordinationGroup: GroupRules = {
  Lease: { ...NAMESPACED, knownFinalizers: false, valid: struct({ spec: leaseSpec }) },
}

/** Printed as kube-apiserver's internal type, whose fields have no JSON names. */
function shownBudget(spec: JsonObject): unknown {
  const { minAvailable = null, selector = null, maxUnavailable = null, unhealthyPodEvictionPolicy = null } = spec
  return {
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  }
}

const disruptionBudget: StructCheck = struct({
  '. one of two': (spec, at, errors) => {
    if (!has(spec, 'minAvailable') || !has(spec, 'maxUnavailable')) return
    errors.push(fieldInvalid(at, shownBudget(spec as JsonObject), 'minAvailable and maxUnavailable cannot be both set'))
  },
  minAvailable: [intOrPercent, notMoreThanAll],
  maxUnavailable: [intOrPercent, notMoreThanAll],
  'selector?': labelSelector,
  'unhealthyPodEvictionPolicy?': strictlyOneOf('AlwaysAllow', 'IfHealthyBudget'),
})

const disruptionStatus = struct({
  'status.disruptionsAllowed': nonNegative,
  'status.currentHealthy': nonNegative,
  'status.desiredHealthy': nonNegative,
  'status.expectedPods': nonNegative,
})

export const policyGroup: GroupRules = {
  Eviction: { ...NAMESPACED, withoutMetadata: true },
  PodDisruptionBudget: {
    ...NAMESPACED,
    nameRule: 'pathSegment',
    valid: struct({ spec: disruptionBudget }),
    onUpdate: { status: (budget, _old, errors) => disruptionStatus(budget, '', errors) },
  },
}

const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000
const MAX_HINTS = 8

function checkAddress(address: string, type: string, at: string, index: number, errors: FieldError[]): void {
  const path = indexPath(at, index)
  if (type === 'FQDN') {
    const name = address.endsWith('.') ? address.slice(0, -1) : address
    const problems = isDNS1123Subdomain(name)
    if (address === '') errors.push(fieldRequired(path))
    else if (problems.length > 0) errors.push(fieldInvalid(path, name, problems.join(',')))
    else if (!name.includes('.')) {
      errors.push(fieldInvalid(path, name, 'should be a domain with at least two segments separated by dots'))
    }
    return
  }
  const before = errors.length
  legacyIp(address, path, errors)
  if (errors.length > before) return
  if (isIpv6(address) !== (type === 'IPv6')) errors.push(fieldInvalid(at, address, `must be an ${type} address`))
  checkEndpointIp(address, path, errors)
}

function checkHints(hints: JsonObject, list: string, at: string, errors: FieldError[]): void {
  const items = structsOf(hints, list)
  if (items.length > MAX_HINTS) return void errors.push(fieldTooMany(`${at}.${list}`, items.length, MAX_HINTS))
  const names = items.map((item) => textOf(item, 'name'))
  for (const [i, name] of names.entries()) {
    const path = `${indexPath(`${at}.${list}`, i)}.name`
    if (names.indexOf(name) < i) errors.push(fieldDuplicate(path, name))
    reportFormat(list === 'forZones' ? isLabelValue : isDNS1123Subdomain, name, path, errors)
  }
}

const endpoints: StructCheck = (slice, _at, errors) => {
  const list = structsOf(slice, 'endpoints')
  const type = textOf(slice, 'addressType')
  if (list.length > MAX_ENDPOINTS) return void errors.push(fieldTooMany('endpoints', list.length, MAX_ENDPOINTS))
  for (const [i, endpoint] of list.entries()) {
    const path = indexPath('endpoints', i)
    const addresses = textsOf(endpoint, 'addresses')
    if (addresses.length === 0) errors.push(fieldRequired(`${path}.addresses`, 'must contain at least 1 address'))
    if (addresses.length > MAX_ADDRESSES) {
      errors.push(fieldTooMany(`${path}.addresses`, addresses.length, MAX_ADDRESSES))
    }
    for (const [j, address] of addresses.entries()) checkAddress(address, type, `${path}.addresses`, j, errors)
    optionally(isDNS1123Subdomain)(endpoint.nodeName, `${path}.nodeName`, errors)
    optionally(isDNS1123Label)(endpoint.hostname, `${path}.hostname`, errors)
    const hints = childOf(endpoint, 'hints')
    if (hints === undefined) continue
    checkHints(hints, 'forZones', `${path}.hints`, errors)
    checkHints(hints, 'forNodes', `${path}.hints`, errors)
  }
}

const slicePorts: StructCheck = (slice, _at, errors) => {
  const ports = structsOf(slice, 'ports')
  if (ports.length > MAX_PORTS) return void errors.push(fieldTooMany('ports', ports.length, MAX_PORTS))
  const names = ports.map((port) => textOf(port, 'name'))
  for (const [i, port] of ports.entries()) {
    const path = indexPath('ports', i)
    optionally(isDNS1123Label)(names[i], `${path}.name`, errors)
    if (names.indexOf(names[i] ?? '') < i) errors.push(fieldDuplicate(`${path}.name`, names[i]))
    if (!has(port, 'protocol')) errors.push(fieldRequired(`${path}.protocol`))
    else strictlyOneOf('SCTP', 'TCP', 'UDP')(port.protocol, `${path}.protocol`, errors)
    if (has(port, 'appProtocol')) formatted(isQualifiedName)(port.appProtocol, `${path}.appProtocol`, errors)
  }
}

const addressType: Check = (value, at, errors) => {
  if (!value) errors.push(fieldRequired(at))
  else strictlyOneOf('FQDN', 'IPv4', 'IPv6')(value, at, errors)
}

export const discoveryGroup: GroupRules = {
  EndpointSlice: {
    ...NAMESPACED,
    valid: struct({ addressType, '. ports and endpoints': [slicePorts, endpoints] }),
    onUpdate: { '': changes({ addressType: immutable() }) },
  },
}

const overhead: Check = (value, at, errors) =>
  checkRequirements({ limits: childOf(value, 'podFixed') ?? {} }, at, errors)

export const nodeGroup: GroupRules = {
  RuntimeClass: {
    ...CLUSTER_WIDE,
    knownFinalizers: false,
    valid: struct({
      handler: named(isDNS1123Label),
      'overhead?': overhead,
      'scheduling?.nodeSelector': labelMap,
      'scheduling?.tolerations[]': toleration,
    }),
    revalidated: false,
    onUpdate: { '': changes({ handler: immutable() }) },
  },
}
