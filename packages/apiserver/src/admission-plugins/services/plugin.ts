import type { AdmissionPlugin, AdmissionRequest } from '../../admission/types.js'
import type { ServiceAllocations } from './allocation.js'
import { normalizedChange, normalizedNew, type ServiceSpec } from './spec.js'

/** Allocates the addresses and node ports of Services. Those of dry runs are released. */
export function serviceAddresses(allocations: ServiceAllocations): AdmissionPlugin {
  return {
    name: 'ServiceAddresses',
    mutate(request) {
      if (!concerns(request)) return
      const { object, oldObject } = request
      if (object === undefined) return
      const sent = (object.spec ?? {}) as ServiceSpec
      const before = oldObject?.spec as ServiceSpec | undefined
      const spec = before === undefined ? normalizedNew(sent) : normalizedChange(sent, before)
      allocations.decideFamilies(spec, before, request.name)
      object.spec = spec
      if (before === undefined || spec.type === 'LoadBalancer') return
      object.status = { ...(object.status as object | undefined), loadBalancer: {} }
    },
    validate(request) {
      if (!concerns(request)) return
      const { object } = request
      if (object === undefined) return
      const spec = { ...(object.spec as ServiceSpec | undefined) }
      request.ifNotWritten(allocations.allocate(spec, object.metadata.uid ?? '', request.name))
      object.spec = spec
    },
  }
}

function concerns({ resource, subresource, operation }: AdmissionRequest): boolean {
  return (
    resource.storage.bucket === 'services' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  )
}
