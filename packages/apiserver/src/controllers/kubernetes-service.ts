import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import { isIpv6 } from '../kinds-rules/network.js'
import type { ResourceRef } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from './resources.js'

const NAMESPACE = 'default'
const NAME = 'kubernetes'
const PORT_NAME = 'https'
const SERVICE_PORT = 443

/** Keeps the `kubernetes` Service and its endpoints. */
export function kubernetesService(context: ControllerContext): Controller {
  const { client, address, serviceIp } = context
  const wakes = ({ entry }: { entry: { namespace: string; name: string } }) =>
    entry.name === NAME && entry.namespace === NAMESPACE ? NAME : undefined
  return reconciler(context, {
    name: 'kubernetes-service',
    wakes: { services: wakes, endpoints: wakes, 'endpointslices.discovery.k8s.io': wakes },
    first: () => [NAME],
    async reconcile() {
      await createIfMissing(client, SERVICES, serviceObject(serviceIp, address?.port ?? SERVICE_PORT))
      if (address === undefined) return
      await Promise.all([
        restore(context, ENDPOINTS, endpointsObject(address)),
        restore(context, ENDPOINT_SLICES, sliceObject(address)),
      ])
    },
  })
}

/** Creates an object, or reverts changes of it. */
async function restore({ client }: ControllerContext, ref: ResourceRef, wanted: KubeObject): Promise<void> {
  const { apiVersion, kind, metadata, ...content } = wanted
  await createIfMissing(client, ref, structuredClone(wanted))
  await client.change(ref, NAMESPACE, NAME, (live) => {
    const same = Object.keys(content).every((field) => isDeepStrictEqual(live[field], content[field]))
    if (same) return live
    return {
      ...live,
      ...content,
      metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...metadata.labels } },
    }
  })
}

type Address = NonNullable<ControllerContext['address']>

function serviceObject(clusterIP: string, targetPort: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP,
      sessionAffinity: 'None',
      ports: [{ name: PORT_NAME, protocol: 'TCP', port: SERVICE_PORT, targetPort }],
    },
  }
}

function endpointsObject({ ip, port }: Address): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: PORT_NAME, port, protocol: 'TCP' }] }],
  }
}

function sliceObject({ ip, port }: Address): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: isIpv6(ip) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
  }
}
