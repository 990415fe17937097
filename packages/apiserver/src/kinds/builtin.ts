import { type TableResource, tableResources } from '@orrery/kinds/tables'
import { formatGroupVersion } from '@orrery/kinds/values'
import type { Resource } from './resource.js'

let resources: readonly Resource[] | undefined

/** Every built-in resource, columns left empty. */
export function builtinResources(): readonly Resource[] {
  resources ??= tableResources().map((resource) => ({
    ...resource,
    storage: { bucket: bucketOf(resource), version: STORED_AS[resource.group] ?? resource.version },
    columns: [],
    custom: false,
  }))
  return resources
}

/** Groups of more than one version: the version that is stored. */
const STORED_AS: Readonly<Record<string, string>> = { autoscaling: 'v2' }

/** Events are one set of objects with two faces: the core one is what is stored. */
function bucketOf({ group, plural }: TableResource): string {
  return group === '' || (group === 'events.k8s.io' && plural === 'events') ? plural : `${plural}.${group}`
}

/** The `apiVersion` in which the objects of a resource are stored. */
export function storageApiVersion(resource: Resource): string {
  const group = resource.storage.bucket === 'events' ? '' : resource.group
  return formatGroupVersion(group, resource.storage.version)
}
