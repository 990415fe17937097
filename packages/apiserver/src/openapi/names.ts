import type { GroupVersionKind, JsonObject } from '@orrery/kinds'
import type { Resource } from '../kinds/resource.js'

/** `io.k8s.api.apps.v1.Deployment`, or for custom resources the group backwards: `com.example.v1.Foo`. */
export function definitionName(resource: Resource): string {
  return resource.schema.name ?? [...reversed(resource.group), resource.version, resource.kind].join('.')
}

/** The name of the definition of its list. */
export function listDefinitionName(resource: Resource): string {
  const name = definitionName(resource)
  return `${name.slice(0, name.lastIndexOf('.') + 1)}${resource.listKind}`
}

/** `rbac.authorization.k8s.io` and `v1` → `RbacAuthorizationV1`, as operation names have it. */
export function operationPrefix(group: string, version: string): string {
  return [...groupWords(group), version].map(capitalised).join('')
}

/** `rbacAuthorization_v1`. */
export function tagOf(group: string, version: string): string {
  const [first = '', ...rest] = groupWords(group)
  return `${first}${rest.map(capitalised).join('')}_${version}`
}

/** `api/v1` or `apis/apps/v1`: where a group version is served, and what its OpenAPI v3 document is called. */
export function apiRoot(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

export function kindExtension({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version }
}

export function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** Names of operations become names of functions, so dashes part words as dots do. */
function groupWords(group: string): string[] {
  return group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split(/[.-]/)
}

function reversed(group: string): string[] {
  return group.split('.').reverse()
}
