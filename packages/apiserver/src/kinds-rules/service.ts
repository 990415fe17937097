import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
} from '@orrery/kinds/values'
import type { ObjectChange } from './change.js'
import {
  between,
  formatted,
  named,
  oneOf,
  optionally,
  portNumber,
  reportFormat,
  type StructCheck,
  strictlyOneOf,
  struct,
} from './check.js'
import type { KindRules } from './kind.js'
import { labelMap } from './labels.js'
import { checkEndpointIp, isIpv6, legacyCidr, legacyIp, parseIp } from './network.js'
import { portNumberOrName } from './pod/probes.js'
import { childOf, has, listOf, numberOf, sameValue, structsOf, textOf, textsOf } from './read.js'

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const FAMILIES = ['IPv4', 'IPv6']
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
const MAX_AFFINITY_SECONDS = 86400
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'"
const MAY_NOT_CHANGE = 'may not change once set'

function isHeadless(spec: JsonObject): boolean {
  const ips = textsOf(spec, 'clusterIPs')
  return ips.length === 1 && ips[0] === 'None'
}

/** Returns whether the service receives traffic from outside the cluster. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = textOf(spec, 'type')
  if (type === 'LoadBalancer' || type === 'NodePort') return true
  return type === 'ClusterIP' && listOf(spec, 'externalIPs').length > 0
}

function needsHealthCheck(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'
}

const byType: StructCheck = (spec, at, errors) => {
  const type = textOf(spec, 'type')
  if (listOf(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName') {
    errors.push(fieldRequired(`${at}.ports`))
  }
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(fieldInvalid(`${at}.clusterIPs[0]`, 'None', `may not be set to 'None' for ${type} services`))
  }
  if (type !== 'ExternalName') return
  for (const name of ['clusterIPs', 'ipFamilies']) {
    if (listOf(spec, name).length > 0)
      errors.push(fieldForbidden(`${at}.${name}`, 'may not be set for ExternalName services'))
  }
  if (has(spec, 'ipFamilyPolicy')) {
    errors.push(fieldForbidden(`${at}.ipFamilyPolicy`, 'may not be set for ExternalName services'))
  }
  named(isDNS1123Subdomain)(textOf(spec, 'externalName').replace(/\.$/, ''), `${at}.externalName`, errors)
}

const portFields = struct({
  port: portNumber,
  protocol: oneOf(...PROTOCOLS),
  targetPort: portNumberOrName,
  'appProtocol?': formatted(isQualifiedName),
})

const ports: StructCheck = (spec, at, errors) => {
  const list = structsOf(spec, 'ports')
  const names = new Set<string>()
  for (const [i, port] of list.entries()) {
    const path = indexPath(`${at}.ports`, i)
    const name = textOf(port, 'name')
    if (name !== '') {
      reportFormat(isDNS1123Label, name, `${path}.name`, errors)
      if (names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
      names.add(name)
    } else if (list.length > 1) errors.push(fieldRequired(`${path}.name`))
    portFields(port, path, errors)
  }
}

const distinctPorts: StructCheck = (spec, at, errors) => {
  const list = structsOf(spec, 'ports')
  const nodePorts = new Set<string>()
  const ports = new Set<string>()
  const paths = list.map((_port, i) => indexPath(`${at}.ports`, i))
  for (const [i, port] of list.entries()) {
    const nodePort = numberOf(port, 'nodePort')
    if (nodePort === 0) continue
    if (spec.type === 'ClusterIP') {
      errors.push(fieldForbidden(`${paths[i]}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
    const key = `${textOf(port, 'protocol')}/${nodePort}`
    if (nodePorts.has(key)) errors.push(fieldDuplicate(`${paths[i]}.nodePort`, nodePort))
    nodePorts.add(key)
  }
  for (const [i, port] of list.entries()) {
    const Protocol = textOf(port, 'protocol')
    const Port = numberOf(port, 'port')
    const key = `${Protocol}/${Port}`
    // Printed as kube-apiserver's internal type, whose fields have no JSON names.
    const shown = { Name: '', Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 }
    if (ports.has(key)) errors.push(fieldDuplicate(paths[i] ?? at, shown))
    ports.add(key)
  }
}

const affinity: StructCheck = (spec, at, errors) => {
  const path = `${at}.sessionAffinityConfig`
  const config = childOf(spec, 'sessionAffinityConfig')
  if (spec.sessionAffinity === 'None' && config !== undefined) {
    errors.push(fieldForbidden(path, 'must not be set when session affinity is None'))
  }
  if (spec.sessionAffinity !== 'ClientIP') return
  const detail = 'when session affinity type is ClientIP'
  const client = childOf(config, 'clientIP')
  if (config === undefined) errors.push(fieldRequired(path, detail))
  else if (client === undefined) errors.push(fieldRequired(`${path}.clientIP`, detail))
  else if (!has(client, 'timeoutSeconds')) errors.push(fieldRequired(`${path}.clientIP.timeoutSeconds`, detail))
  else {
    const range = between(1, MAX_AFFINITY_SECONDS, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)
    range(client.timeoutSeconds, `${path}.clientIP.timeoutSeconds`, errors)
  }
}

const clusterIps: StructCheck = (spec, at, errors) => {
  if (spec.type === 'ExternalName') return
  const path = `${at}.clusterIPs`
  const ips = textsOf(spec, 'clusterIPs')
  const first = textOf(spec, 'clusterIP')
  if (first === '') {
    if (ips.length > 0) errors.push(fieldInvalid(path, ips, 'must be empty when `clusterIP` is not specified'))
  } else if (ips.length === 0) errors.push(fieldRequired(path))
  else if (ips[0] !== first) errors.push(fieldInvalid(path, ips, 'first value must match `clusterIP`'))
  checkFamilies(spec, at, errors)
  const before = errors.length
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === 'None') {
      if (ips.length > 1) errors.push(fieldInvalid(path, ips, "'None' must be the first and only value"))
    } else legacyIp(ip, indexPath(path, i), errors)
  }
  const malformed = errors.length > before
  if (ips.length > 2) errors.push(fieldInvalid(path, ips, 'may only hold up to 2 values'))
  if (malformed) return
  if (ips.length > 1 && new Set(ips.map(isIpv6)).size < 2) {
    errors.push(fieldInvalid(path, ips, 'may specify no more than one IP for each IP family'))
  }
  if (isHeadless(spec)) return
  for (const [i, family] of textsOf(spec, 'ipFamilies').entries()) {
    const ip = ips[i]
    if (ip === undefined || !FAMILIES.includes(family) || isIpv6(ip) === (family === 'IPv6')) continue
    errors.push(
      fieldInvalid(indexPath(path, i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``),
    )
  }
}

function checkFamilies(spec: JsonObject, at: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const [i, family] of textsOf(spec, 'ipFamilies').entries()) {
    const path = indexPath(`${at}.ipFamilies`, i)
    if (!FAMILIES.includes(family)) errors.push(fieldNotSupported(path, family, FAMILIES))
    if (seen.has(family)) errors.push(fieldDuplicate(path, family))
    seen.add(family)
  }
  const policy = spec.ipFamilyPolicy
  if (policy !== undefined && !FAMILY_POLICIES.includes(policy as string)) {
    errors.push(fieldNotSupported(`${at}.ipFamilyPolicy`, policy, FAMILY_POLICIES))
  }
}

const externalIps: StructCheck = (spec, at, errors) => {
  for (const [i, ip] of textsOf(spec, 'externalIPs').entries()) {
    const path = indexPath(`${at}.externalIPs`, i)
    const before = errors.length
    legacyIp(ip, path, errors)
    if (errors.length === before) checkEndpointIp(ip, path, errors)
  }
}

const loadBalancer: StructCheck = (spec, at, errors) => {
  const isLoadBalancer = spec.type === 'LoadBalancer'
  const ranges = textsOf(spec, 'loadBalancerSourceRanges')
  if (ranges.length > 0 && !isLoadBalancer) {
    errors.push(fieldForbidden(`${at}.LoadBalancerSourceRanges`, ONLY_LOAD_BALANCER))
  }
  for (const [i, range] of ranges.entries()) {
    legacyCidr(range.trim(), indexPath(`${at}.LoadBalancerSourceRanges`, i), errors)
  }
  if (has(spec, 'allocateLoadBalancerNodePorts') && !isLoadBalancer) {
    errors.push(fieldForbidden(`${at}.allocateLoadBalancerNodePorts`, ONLY_LOAD_BALANCER))
  }
  if (!has(spec, 'loadBalancerClass')) return
  if (isLoadBalancer) formatted(isQualifiedName)(spec.loadBalancerClass, `${at}.loadBalancerClass`, errors)
  else errors.push(fieldForbidden(`${at}.loadBalancerClass`, ONLY_LOAD_BALANCER))
}

const traffic: StructCheck = (spec, at, errors) => {
  const path = `${at}.externalTrafficPolicy`
  const policy = textOf(spec, 'externalTrafficPolicy')
  if (isExternallyAccessible(spec)) oneOf('Cluster', 'Local')(policy, path, errors)
  else if (policy !== '') errors.push(fieldInvalid(path, policy, 'may only be set for externally-accessible services'))
  const health = `${at}.healthCheckNodePort`
  const nodePort = numberOf(spec, 'healthCheckNodePort')
  // The registry allocates the port later, so a missing one is not an error here.
  if (nodePort !== 0 && needsHealthCheck(spec)) portNumber(nodePort, health, errors)
  else if (nodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.push(fieldInvalid(health, nodePort, detail))
  }
  if (!has(spec, 'internalTrafficPolicy')) {
    if (TYPES.includes(textOf(spec, 'type')) && spec.type !== 'ExternalName') {
      errors.push(fieldRequired(`${at}.internalTrafficPolicy`))
    }
  } else strictlyOneOf('Cluster', 'Local')(spec.internalTrafficPolicy, `${at}.internalTrafficPolicy`, errors)
}

const serviceSpec = struct({
  '. by type': [byType, ports],
  'selector?': labelMap,
  sessionAffinity: oneOf('ClientIP', 'None'),
  '. addresses': [affinity, clusterIps, externalIps],
  type: oneOf(...TYPES),
  '. traffic': [distinctPorts, loadBalancer, traffic],
  'trafficDistribution?': strictlyOneOf('PreferClose', 'PreferSameZone', 'PreferSameNode'),
})

const addressesKept: ObjectChange = (service, old, errors) => {
  const spec = childOf(service, 'spec') ?? {}
  const before = childOf(old, 'spec') ?? {}
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return
  if (!(isHeadless(spec) && isHeadless(before))) checkKept(spec, before, 'clusterIPs', 'clusterIP', errors)
  if (!isHeadless(spec) && !isHeadless(before)) checkKept(spec, before, 'ipFamilies', 'ipFamily', errors)
}

/** The primary address or family of a service is immutable; the secondary can be added and removed. */
function checkKept(spec: JsonObject, before: JsonObject, list: string, one: string, errors: FieldError[]): void {
  const now = textsOf(spec, list)
  const was = textsOf(before, list)
  const path = `spec.${list}`
  if (now.length === was.length) {
    for (const [i, value] of was.entries()) {
      if (value !== now[i])
        errors.push(fieldInvalid(indexPath(path, list === 'ipFamilies' ? 0 : i), now, MAY_NOT_CHANGE))
    }
    return
  }
  if (was.length > now.length && now.length === 0) {
    errors.push(fieldInvalid(`${path}[0]`, now, `primary ${one} can not be unset`))
  }
  if (was.length > 0 && now.length > 0 && now[0] !== was[0])
    errors.push(fieldInvalid(`${path}[0]`, now, MAY_NOT_CHANGE))
  if (was.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${one}`
    errors.push(fieldInvalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail))
  }
}

const specKept: ObjectChange = (service, old, errors) => {
  addressesKept(service, old, errors)
  const spec = childOf(service, 'spec') ?? {}
  const before = childOf(old, 'spec') ?? {}
  const balanced = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer'
  if (balanced && !sameValue(spec.loadBalancerClass, before.loadBalancerClass)) {
    errors.push(fieldInvalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, MAY_NOT_CHANGE))
  }
  if (!needsHealthCheck(spec) || !needsHealthCheck(before)) return
  if (!sameValue(spec.healthCheckNodePort, before.healthCheckNodePort)) {
    errors.push(fieldForbidden('spec.healthCheckNodePort', 'field is immutable'))
  }
}

/** The address of a load balancer. */
export const loadBalancerIngress: StructCheck = (ingress, at, errors) => {
  const ip = textOf(ingress, 'ip')
  if (ip !== '') legacyIp(ip, `${at}.ip`, errors)
  const hostname = textOf(ingress, 'hostname')
  optionally(isDNS1123Subdomain)(hostname, `${at}.hostname`, errors)
  if (parseIp(hostname) !== undefined) {
    errors.push(fieldInvalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'))
  }
}

const statusKept: ObjectChange = (service, _old, errors) => {
  const at = 'status.loadBalancer.ingress'
  const ingresses = structsOf(childOf(childOf(service, 'status'), 'loadBalancer'), 'ingress')
  if (ingresses.length > 0 && childOf(service, 'spec')?.type !== 'LoadBalancer') {
    return void errors.push(fieldForbidden(at, "may only be used when `spec.type` is 'LoadBalancer'"))
  }
  for (const [i, ingress] of ingresses.entries()) {
    const path = indexPath(at, i)
    const hasIp = textOf(ingress, 'ip') !== ''
    loadBalancerIngress(ingress, path, errors)
    if (!has(ingress, 'ipMode')) {
      if (hasIp) errors.push(fieldRequired(`${path}.ipMode`, 'must be specified when `ip` is set'))
    } else if (!hasIp) errors.push(fieldForbidden(`${path}.ipMode`, 'may not be specified when `ip` is not set'))
    else strictlyOneOf('Proxy', 'VIP')(ingress.ipMode, `${path}.ipMode`, errors)
  }
}

export const serviceRules: KindRules = {
  namespaced: true,
  nameRule: 'label',
  valid: struct({ spec: serviceSpec }),
  changesFirst: true,
  onUpdate: { '': specKept, status: statusKept },
}
