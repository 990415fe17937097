import type { Store } from '../store/types.js'
import { refused } from './refused.js'
import type { AdmissionPlugin, AdmissionRequest } from './types.js'

/** Lets nobody add objects to a custom resource whose definition is being deleted: the last of them is awaited. */
export function customResourceTermination(store: Store): AdmissionPlugin {
  const check = (request: AdmissionRequest): void => {
    const { operation, resource, subresource } = request
    if (!resource.custom || operation !== 'CREATE' || subresource !== '') return
    const crd = store.head('customresourcedefinitions.apiextensions.k8s.io', '', resource.storage.bucket)
    if (crd?.object().metadata.deletionTimestamp === undefined) return
    throw refused(request, 'create not allowed while custom resource definition is terminating')
  }
  return { name: 'CustomResourceTermination', mutate: check, validate: check }
}
