import { failure } from '@orrery/kube'
import type { Store } from '../store/types.js'
import type { AdmissionPlugin, AdmissionRequest } from './types.js'

/** Lets nobody add objects to a custom resource whose definition is being deleted: the last of them is awaited. */
export function customResourceTermination(store: Store): AdmissionPlugin {
  const check = ({ operation, resource, subresource }: AdmissionRequest): void => {
    if (!resource.custom || operation !== 'CREATE' || subresource !== '') return
    const crd = store.head('customresourcedefinitions.apiextensions.k8s.io', '', resource.storage.bucket)
    if (crd?.object().metadata.deletionTimestamp === undefined) return
    const { group, plural: kind } = resource
    const message = 'create not allowed while custom resource definition is terminating'
    throw failure(405, 'MethodNotAllowed', message, { group, kind })
  }
  return { name: 'CustomResourceTermination', mutate: check, validate: check }
}
