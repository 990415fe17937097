import type { Mutable } from '@orrery/kinds'
import type { ServiceSpec as KindSpec } from '@orrery/kinds/core'

export const NONE = 'None'

/** The spec of a Service in a request, which admission changes in place. */
export type ServiceSpec = Mutable<KindSpec>

export function needsClusterIp({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName'
}

export function needsNodePorts({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer'
}

export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs[0] === NONE
}

/** Returns whether node ports are allocated for all ports, and not only for those that specify one. */
export function allocatesNodePorts({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts)
}

function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0)
}

export function sameList(a: readonly unknown[] = [], b: readonly unknown[] = []): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

export function sameClusterIps(a: ServiceSpec, b: ServiceSpec): boolean {
  return (a.clusterIP ?? '') === (b.clusterIP ?? '') && sameList(a.clusterIPs, b.clusterIPs)
}

/** Returns a new spec with `clusterIP` and `clusterIPs` in agreement. */
export function normalizedNew(spec: ServiceSpec): ServiceSpec {
  const { clusterIP = '', clusterIPs = [] } = spec
  return clusterIP !== '' && clusterIPs.length === 0 ? { ...spec, clusterIPs: [clusterIP] } : { ...spec }
}

/** Returns a changed spec with omitted values restored, and values removed that the new type does not use. */
export function normalizedChange(changed: ServiceSpec, before: ServiceSpec): ServiceSpec {
  const spec = { ...changed }
  keepHandedOut(spec, before)
  alignClusterIps(spec, before)
  dropUseless(spec, before)
  return spec
}

function keepHandedOut(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === '' && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP
    if ((spec.clusterIPs ?? []).length === 0 && before.clusterIPs !== undefined) spec.clusterIPs = before.clusterIPs
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) keepNodePorts(spec, before)
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && before.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort = spec.healthCheckNodePort || before.healthCheckNodePort
  }
}

function keepNodePorts(spec: ServiceSpec, before: ServiceSpec): void {
  const named = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]))
  const wanted = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort))
  const inUse = new Set([...named.values()].filter((nodePort) => nodePort !== 0 && wanted.has(nodePort)))
  spec.ports = (spec.ports ?? []).map((port) => {
    const old = named.get(port.name ?? '') ?? 0
    return (port.nodePort ?? 0) !== 0 || old === 0 || inUse.has(old) ? port : { ...port, nodePort: old }
  })
}

function alignClusterIps(spec: ServiceSpec, before: ServiceSpec): void {
  const { clusterIP = '' } = spec
  if (clusterIP === (before.clusterIP ?? '') || !sameList(spec.clusterIPs, before.clusterIPs)) return
  if (clusterIP === '') delete spec.clusterIPs
  else spec.clusterIPs = [clusterIP]
}

function dropUseless(spec: ServiceSpec, before: ServiceSpec): void {
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (sameClusterIps(spec, before)) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (sameList(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy
  }
  if (needsNodePorts(before) && !needsNodePorts(spec) && sameNodePorts(spec, before) && spec.ports !== undefined) {
    spec.ports = spec.ports.map(({ nodePort, ...port }) => port)
  }
  const dropIfSame = (
    field: 'healthCheckNodePort' | 'allocateLoadBalancerNodePorts' | 'loadBalancerClass' | 'externalTrafficPolicy',
  ) => {
    if (spec[field] === before[field]) delete spec[field]
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) dropIfSame('healthCheckNodePort')
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropIfSame('allocateLoadBalancerNodePorts')
    dropIfSame('loadBalancerClass')
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) dropIfSame('externalTrafficPolicy')
}

function sameNodePorts(a: ServiceSpec, b: ServiceSpec): boolean {
  const ports = ({ ports = [] }: ServiceSpec) => new Set(ports.map(({ nodePort = 0 }) => nodePort))
  const [of, other] = [ports(a), ports(b)]
  return of.size === other.size && [...of].every((port) => other.has(port))
}
