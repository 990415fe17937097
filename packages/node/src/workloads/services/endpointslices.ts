import { type Endpoint, type IPFamily, Service } from '@orrery/kinds'
import { type ControllerSpec, each, ownerReferenceTo } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { type Backend, backendsOf, byPorts, HEADLESS, isSelecting } from './backends.js'
import { MANAGED_BY, SERVICE_NAME, SliceStore } from './slice-store.js'
import { planSlices, type SliceHead } from './slices.js'
import { eachBackend } from './wakes.js'

const MANAGER = 'endpointslice-controller.k8s.io'

/** The EndpointSlice controller: writes the EndpointSlices of each service. */
export function endpointSliceController(context: WorkloadContext): ControllerSpec {
  const services = context.informers.of(Service)
  const slices = new SliceStore(context, MANAGER)
  const { pods } = context

  return {
    name: 'endpointslice-controller',
    wakes: [
      each(services),
      eachBackend(pods, services),
      each(slices.informer, ({ metadata: { namespace, labels } }) => ({
        namespace,
        name: labels?.[SERVICE_NAME] ?? '',
      })),
    ],
    concurrency: 5,
    async reconcile(ref, run) {
      const service = services.get(ref)
      // The garbage collector deletes the slices of a deleted service.
      if (service === undefined) return
      const known = slices.of(ref)
      if (!isSelecting(service)) return slices.remove(known, run)
      const families: readonly IPFamily[] = service.spec?.ipFamilies ?? ['IPv4']
      const others = known.filter(({ addressType }) => !families.some((family) => family === addressType))
      await slices.remove(others, run)
      for (const family of families) {
        const ofFamily = known.filter(({ addressType }) => addressType === family)
        const backends = backendsOf(service, pods.list(service.metadata.namespace), family)
        const groups = byPorts(backends).map((group) => {
          const [first] = group
          const endpoints = group.map((backend) => endpointOf(service, backend))
          return { portsKey: first.portsKey, ports: () => first.ports, endpoints }
        })
        await slices.apply(planSlices(headOf(service, family), groups, ofFamily), run)
      }
    },
  }
}

function headOf(service: Service, addressType: IPFamily): SliceHead {
  const { namespace, name, labels } = service.metadata
  return {
    namespace,
    name,
    addressType,
    labels: {
      ...labels,
      [SERVICE_NAME]: name,
      [MANAGED_BY]: MANAGER,
      ...(service.spec?.clusterIP === 'None' && { [HEADLESS]: '' }),
    },
    owner: ownerReferenceTo(service, Service, { controller: true }),
    // A service without pods has one empty slice.
    isKeptEmpty: true,
  }
}

function endpointOf({ spec }: Service, { pod, address, isReady, isTerminating, hostname }: Backend): Endpoint {
  const { name, namespace, uid } = pod.metadata
  const isPublishingAll = spec?.publishNotReadyAddresses === true
  return {
    addresses: [address],
    conditions: {
      ready: isPublishingAll || (isReady && !isTerminating),
      serving: isReady || isPublishingAll,
      terminating: isTerminating,
    },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
  }
}
