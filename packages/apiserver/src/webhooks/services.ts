import type { KubeObject } from '@orrery/kinds'
import type { ServiceSpec } from '@orrery/kinds/core'
import type { EndpointSlice } from '@orrery/kinds/discovery'
import type { Store } from '../store/types.js'

/** The address of a Service. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

/** Returns the address of a Service port; undefined if unknown. */
export type ResolveService = (namespace: string, name: string, port: number) => ServiceAddress | undefined

const SLICES = 'endpointslices.discovery.k8s.io'
const SERVICE_NAME = 'kubernetes.io/service-name'

/**
 * Returns the address of a stored Service: one of its endpoints, which need no routing, or else its ClusterIP. Throws
 * an `Error` with the reason if it is unreachable.
 */
export function storedService(store: Store): (namespace: string, name: string, port: number) => ServiceAddress {
  return (namespace, name, port) => {
    const service = store.get('services', namespace, name)?.object()
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
    const spec = (service.spec ?? {}) as ServiceSpec
    if (spec.type === 'ExternalName') return { host: spec.externalName ?? '', port }
    const { clusterIP = '' } = spec
    const isHeadless = clusterIP === '' || clusterIP === 'None'
    const servicePort = spec.ports?.find((candidate) => candidate.port === port)
    const endpoint = servicePort && pick(endpointsOf(store, namespace, name, servicePort.name ?? ''))
    if (endpoint !== undefined) return endpoint
    if (isHeadless) throw new Error(`cannot route to service with ClusterIP ${JSON.stringify(clusterIP)}`)
    if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
    return { host: clusterIP, port }
  }
}

function endpointsOf(store: Store, namespace: string, name: string, portName: string): ServiceAddress[] {
  const slices = store.page({ bucket: SLICES, namespace }).entries.map((entry) => entry.object())
  return slices
    .filter(({ metadata }: KubeObject) => metadata.labels?.[SERVICE_NAME] === name)
    .flatMap((slice) => {
      const { addressType, endpoints = [], ports = [] } = slice as unknown as Partial<EndpointSlice>
      // Validation ensures that addresses are not local to a machine; a host name can resolve to anything.
      if (addressType === 'FQDN') return []
      const port = ports.find((candidate) => (candidate.name ?? '') === portName)?.port
      if (port === undefined) return []
      return endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses }) => addresses.map((host) => ({ host, port })))
    })
}

function pick<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)]
}
