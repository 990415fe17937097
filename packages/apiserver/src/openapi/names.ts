import type { GroupVersionKind, JsonObject } from '@orrery/kinds'
import type { Resource } from '../kinds/resource.js'

/** Returns `io.k8s.api.apps.v1.Deployment`, or for custom resources the reversed group: `com.example.v1.Foo`. */
export function definitionName(resource: Resource): string {
  return resource.schema.name ?? [...reversed(resource.group), resource.version, resource.kind].join('.')
}

/** Returns the definition name of the list. */
export function listDefinitionName(resource: Resource): string {
  const name = definitionName(resource)
  return `${name.slice(0, name.lastIndexOf('.') + 1)}${resource.listKind}`
}

/** Returns `RbacAuthorizationV1` for `rbac.authorization.k8s.io` and `v1`, as in operation IDs. */
export function operationPrefix(group: string, version: string): string {
  return [...groupWords(group), version].map(capitalised).join('')
}

/** Returns a tag such as `rbacAuthorization_v1`. */
export function tagOf(group: string, version: string): string {
  const [first = '', ...rest] = groupWords(group)
  return `${first}${rest.map(capitalised).join('')}_${version}`
}

/** Returns `api/v1` or `apis/apps/v1`: the path of a group version and the name of its OpenAPI v3 document. */
export function apiRoot(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

export function kindExtension({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version }
}

export function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** Operation IDs become function names, so dashes separate words like dots. */
function groupWords(group: string): string[] {
  return group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split(/[.-]/)
}

function reversed(group: string): string[] {
  return group.split('.').reverse()
}
