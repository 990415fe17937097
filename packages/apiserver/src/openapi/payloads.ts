import type { GroupVersionKind, JsonObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import type { Resource } from '../kinds/resource.js'
import { Definitions, type Dialect } from './definitions.js'
import { definitionName, listDefinitionName } from './names.js'
import type { ApiPath, Payload } from './operations.js'

/** The published definition of a custom resource and of its list. */
export interface CustomDefinitions {
  readonly schema: JsonObject
  readonly listSchema: JsonObject
}

/** The source of schemas that are not part of a resource. */
export interface SchemaSource {
  /** Returns the schema of a built-in kind that is not a resource, such as `Scale`. */
  kind(group: string, version: string, kind: string): StructSchema | undefined
  /** Returns the struct of a definition name, such as `io.k8s.apimachinery.pkg.apis.meta.v1.Status`. */
  named(name: string): StructSchema
  /**
   * Returns the definition from a CRD, which has more than the structure of its objects. It can refer to `ObjectMeta`
   * and `ListMeta`.
   */
  custom(resource: Resource, dialect: Dialect): CustomDefinitions | undefined
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const PATCH: JsonObject = { description: 'A patch of the type in the Content-Type header.', type: 'object' }

/** Writes the definitions of bodies and responses, and returns references to them. */
export class Payloads {
  readonly definitions: Definitions
  readonly #dialect: Dialect
  readonly #source: SchemaSource
  readonly #customs = new Map<Resource, CustomDefinitions | undefined>()

  constructor(dialect: Dialect, resources: readonly Resource[], source: SchemaSource) {
    this.definitions = new Definitions(dialect, kindsOf(resources, source))
    this.#dialect = dialect
    this.#source = source
  }

  /** Returns the schema of a body or response of a path. */
  schemaOf(payload: Payload, { resource, subresource }: ApiPath): JsonObject {
    switch (payload) {
      case 'list':
        return this.#list(resource)
      case 'patch':
        return this.definitions.add(`${META}.Patch`, PATCH)
      case 'deleteOptions':
        return this.#meta('DeleteOptions')
      case 'status':
        return this.#meta('Status')
      case 'text':
        return { type: 'string' }
      case 'object':
        return subresource === undefined || isSameKind(resource, subresource)
          ? this.#object(resource)
          : this.#kind(subresource)
    }
  }

  #object(resource: Resource): JsonObject {
    const name = definitionName(resource)
    if (this.definitions.has(name)) return this.definitions.referTo(name)
    const custom = this.#custom(resource)
    if (custom === undefined) return this.definitions.namedStruct(resource.schema, name)
    // Custom definitions refer to it by name.
    this.#meta('ObjectMeta')
    return this.definitions.add(name, custom.schema)
  }

  #custom(resource: Resource): CustomDefinitions | undefined {
    if (!resource.custom) return undefined
    if (!this.#customs.has(resource)) this.#customs.set(resource, this.#source.custom(resource, this.#dialect))
    return this.#customs.get(resource)
  }

  #kind({ group, version, kind }: GroupVersionKind): JsonObject {
    const schema = this.#source.kind(group, version, kind)
    return schema === undefined ? { type: 'string' } : this.definitions.struct(schema)
  }

  #meta(name: string): JsonObject {
    return this.definitions.struct(this.#source.named(`${META}.${name}`))
  }

  #list(resource: Resource): JsonObject {
    const name = listDefinitionName(resource)
    if (this.definitions.has(name)) return this.definitions.referTo(name)
    const custom = this.#custom(resource)
    if (custom !== undefined) {
      this.#object(resource)
      this.#meta('ListMeta')
      return this.definitions.add(name, custom.listSchema)
    }
    return this.definitions.add(name, {
      description: `A list of objects of kind ${resource.kind}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { description: 'Group and version of the kind.', type: 'string' },
        items: { description: 'The objects.', type: 'array', items: this.#object(resource) },
        kind: { description: 'The kind of the list.', type: 'string' },
        metadata: this.#meta('ListMeta'),
      },
    })
  }
}

/** Returns which definitions are kinds, with their groups and versions. */
function kindsOf(resources: readonly Resource[], source: SchemaSource): Map<string, GroupVersionKind[]> {
  const kinds = new Map<string, GroupVersionKind[]>()
  const add = (name: string | undefined, kind: GroupVersionKind): void => {
    if (name === undefined) return
    const sharing = kinds.get(name) ?? []
    kinds.set(name, sharing)
    if (!sharing.some((known) => isSameKind(known, kind))) {
      sharing.push({ group: kind.group, version: kind.version, kind: kind.kind })
    }
  }
  const core = { group: '', version: 'v1' }
  const deleteOptions = `${META}.DeleteOptions`
  add(deleteOptions, { ...core, kind: 'DeleteOptions' })
  add(`${META}.Status`, { ...core, kind: 'Status' })
  for (const resource of resources) {
    const { group, version, listKind } = resource
    add(definitionName(resource), resource)
    add(deleteOptions, { group, version, kind: 'DeleteOptions' })
    if (resource.verbs.includes('list')) add(listDefinitionName(resource), { group, version, kind: listKind })
    for (const subresource of resource.subresources.values()) {
      if (isSameKind(resource, subresource)) continue
      add(source.kind(subresource.group, subresource.version, subresource.kind)?.name, subresource)
    }
  }
  return kinds
}

function isSameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version
}
