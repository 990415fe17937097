import { type ControllerSpec, each, type JsonObject, type ReconcileContext } from '@orrery/kube'
import { EndpointSlice, type IPFamily, Service } from '@orrery/kube/kinds'
import type { WorkloadContext } from '../context.js'
import { backendsOf, isSelecting } from './backends.js'
import { MANAGED_BY, MANAGER, planSlices, SERVICE_NAME, type SlicePlan } from './slices.js'
import { eachBackend } from './wakes.js'

const SERVICE_INDEX = 'service'

/** Keeps in slices which pods are behind each service. */
export function endpointSliceController(context: WorkloadContext): ControllerSpec {
  const services = context.informers.of(Service)
  const slices = context.informers.of(EndpointSlice)
  slices.addIndex(SERVICE_INDEX, serviceKeys)
  const seen = context.seen(EndpointSlice)
  const { pods } = context

  const apply = async ({ create, update, remove }: SlicePlan, { client, signal }: ReconcileContext) => {
    for (const draft of create) await seen.after(client.create(EndpointSlice, draft, { signal }), signal)
    for (const slice of update) {
      const { name, namespace, uid, resourceVersion, labels } = slice.metadata
      const metadata = { uid, resourceVersion, labels } as unknown as JsonObject
      const change = { metadata, endpoints: slice.endpoints, ports: slice.ports }
      await seen.after(client.patch(EndpointSlice, { name, namespace }, change, { signal }), signal)
    }
    for (const { metadata } of remove) {
      const { name, namespace, uid } = metadata
      await client.ensureDeleted(EndpointSlice, { name, namespace }, { preconditions: { uid }, signal })
    }
  }

  return {
    name: 'endpointslice-controller',
    wakes: [
      each(services),
      eachBackend(pods, services),
      each(slices, ({ metadata: { namespace, labels } }) => ({ namespace, name: labels?.[SERVICE_NAME] ?? '' })),
    ],
    concurrency: 5,
    async reconcile(ref, run) {
      const service = services.get(ref)
      const known = slices.byIndex(SERVICE_INDEX, `${ref.namespace}/${ref.name}`)
      if (service === undefined || !isSelecting(service)) {
        // Those of a service that is gone go with it.
        if (service !== undefined) await apply({ create: [], update: [], remove: [...known] }, run)
        return
      }
      const families: readonly IPFamily[] = service.spec?.ipFamilies ?? ['IPv4']
      const others = known.filter(({ addressType }) => !families.some((family) => family === addressType))
      await apply({ create: [], update: [], remove: others }, run)
      for (const family of families) {
        const ofFamily = known.filter(({ addressType }) => addressType === family)
        const backends = backendsOf(service, pods.list(service.metadata.namespace), family)
        await apply(planSlices(service, family, backends, ofFamily), run)
      }
    },
  }
}

/** Slices of others are none of ours. */
function serviceKeys({ metadata: { namespace, labels } }: EndpointSlice): readonly string[] {
  return labels?.[MANAGED_BY] === MANAGER ? [`${namespace}/${labels[SERVICE_NAME] ?? ''}`] : []
}
