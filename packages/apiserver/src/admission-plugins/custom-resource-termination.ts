import { noSuchPath } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import type { Store } from '../store/types.js'
import { refused } from './refused.js'

/**
 * Refuses to create objects of a custom resource whose definition is being deleted, since the server waits for the last
 * of them, or was deleted after the request arrived: they would reappear with the next definition of that name.
 */
export function customResourceTermination(store: Pick<Store, 'head'>): AdmissionPlugin {
  const check = (request: AdmissionRequest): void => {
    const { operation, resource, subresource } = request
    const { bucket } = resource.storage
    // Resources of the embedding program have no definition and are not stored here.
    if (!resource.custom || bucket === '' || operation !== 'CREATE' || subresource !== '') return
    const crd = store.head('customresourcedefinitions.apiextensions.k8s.io', '', bucket)
    if (crd === undefined) throw noSuchPath()
    if (crd.object().metadata.deletionTimestamp === undefined) return
    throw refused(request, 'create not allowed while custom resource definition is terminating')
  }
  return { name: 'CustomResourceTermination', mutate: check, validate: check }
}
