import { Endpoints, type JsonObject, Service } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import { semanticEqual } from '@orrery/kube/write'
import type { WorkloadContext } from '../context.js'
import { backendsOf, HEADLESS, isSelecting } from './backends.js'
import { MOST_ITEMS, subsetsOf } from './subsets.js'
import { eachBackend } from './wakes.js'

const COMPONENT = 'endpoint-controller'
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'

/** The Endpoints controller: writes the Endpoints of each service. */
export function endpointsController(context: WorkloadContext): ControllerSpec {
  const services = context.informers.of(Service)
  const endpoints = context.informers.of(Endpoints)
  const { pods } = context
  const recorder = context.recorder(COMPONENT)

  const labelsOf = ({ metadata, spec }: Service) => ({
    ...metadata.labels,
    [MANAGED_BY]: COMPONENT,
    ...(spec?.clusterIP === 'None' && { [HEADLESS]: '' }),
  })

  return {
    name: COMPONENT,
    wakes: [each(services), eachBackend(pods, services), each(endpoints)],
    concurrency: 5,
    async reconcile(ref, { client, signal }) {
      const service = services.get(ref)
      const known = endpoints.get(ref)
      if (service === undefined) {
        // Endpoints that this controller does not manage stay unchanged.
        if (known?.metadata.labels?.[MANAGED_BY] === undefined || isBeingDeleted(known)) return
        const { uid } = known.metadata
        await client.ensureDeleted(Endpoints, ref, { preconditions: { uid }, signal })
        return
      }
      if (!isSelecting(service)) return
      const family = service.spec?.ipFamilies?.[0] ?? 'IPv4'
      const backends = backendsOf(service, pods.list(service.metadata.namespace), family)
      const subsets = subsetsOf(service, backends)
      if (subsets === undefined) {
        const note = `Endpoints ${ref.namespace}/${ref.name} would have more than ${MOST_ITEMS} addresses and ports: use fewer ports, or the EndpointSlices of the service`
        recorder.record({ regarding: service, type: 'Warning', reason: 'FailedToUpdateEndpoint', note })
        return
      }
      const labels = labelsOf(service)
      if (known === undefined) {
        const { namespace, name } = service.metadata
        try {
          await client.create(Endpoints, { metadata: { namespace, name, labels }, subsets }, { signal })
        } catch (error) {
          if (!isAlreadyExists(error)) throw error
        }
        return
      }
      if (semanticEqual(known.subsets, subsets) && semanticEqual(known.metadata.labels, labels)) return
      const { uid, resourceVersion } = known.metadata
      const gone = Object.keys(known.metadata.labels ?? {}).filter((key) => !Object.hasOwn(labels, key))
      const changed: JsonObject = { ...labels, ...Object.fromEntries(gone.map((key) => [key, null])) }
      const change = { metadata: { uid, resourceVersion, labels: changed }, subsets }
      await client.patch(Endpoints, ref, change, { signal })
    },
  }
}
