import { type TableResource, tableResources } from '@orrery/kinds/tables'
import { formatGroupVersion } from '@orrery/kinds/values'
import type { Resource } from './resource.js'

let resources: readonly Resource[] | undefined

/** Returns every built-in resource, without table columns. */
export function builtinResources(): readonly Resource[] {
  resources ??= tableResources().map((resource) => ({
    ...resource,
    storage: { bucket: bucketOf(resource), version: STORED_AS[resource.group] ?? resource.version },
    columns: [],
    custom: false,
  }))
  return resources
}

/** The storage version of groups with several versions. */
const STORED_AS: Readonly<Record<string, string>> = { autoscaling: 'v2' }

/** Events have two API groups for one set of objects, which is stored as core events. */
function bucketOf({ group, plural }: TableResource): string {
  return group === '' || (group === 'events.k8s.io' && plural === 'events') ? plural : `${plural}.${group}`
}

/** Returns the `apiVersion` in which the objects of a resource are stored. */
export function storageApiVersion(resource: Resource): string {
  const group = resource.storage.bucket === 'events' ? '' : resource.group
  return formatGroupVersion(group, resource.storage.version)
}
