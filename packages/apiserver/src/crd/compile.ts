import { ANY_OBJECT, countItems, dropNulls, fillDefaults, pruneUnknown, schemaTree } from '@orrery/cel/schema'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import type { StructSchema, Subresource, Verb } from '@orrery/kinds/tables'
import { addAll, type FieldError, tooLarge } from '@orrery/kinds/values'
import { compareVersions } from '../discovery/version-order.js'
import type { Resource } from '../kinds/resource.js'
import { columnsOf } from './columns.js'
import { coerceEmbedded, coerceMetadata } from './embedded.js'
import { definitionName } from './openapi.js'
import { type CustomScale, customScale } from './scale.js'
import { type SelectableFields, selectableFieldsOf } from './selectable.js'
import { resourceSchema } from './struct-schema.js'
import { type Crd, type CrdVersion, storageVersionOf, versionOf } from './types.js'
import { ObjectValidator } from './validator.js'

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update']

/** One version of a definition, compiled for serving its objects. */
export interface CompiledCrdVersion {
  readonly crd: Crd
  readonly resource: Resource
  readonly schema: StructSchema
  /** The warning for clients of a deprecated version. */
  readonly deprecationWarning: string | undefined
  readonly hasStatus: boolean
  /** Whether objects that are stored without a status get a default one when they are read. */
  readonly defaultsStatus: boolean
  readonly scale: CustomScale | undefined
  readonly selectable: SelectableFields
  /**
   * Converts a decoded body in place to an object of the version: types its metadata, prunes unknown fields, and drops
   * nulls that are not allowed unless they are kept for validation. Returns the sorted paths of pruned fields, without
   * nulls. Throws `ConformError` if metadata is invalid.
   */
  prune(object: JsonObject, nulls?: 'kept'): string[]
  /** Throws a 413 for an object with too many fields, map entries and set items. */
  refuseManyItems(object: JsonObject): void
  /** Applies the defaults of the schema in place. Throws a 413 if they have more than `maxAdded` characters. */
  applyDefaults(object: JsonObject, maxAdded?: number): void
  /**
   * Returns the errors of a new object, or of an update. The caller validates metadata: its errors come first in
   * `found` and may prevent the evaluation of rules.
   */
  validate(object: KubeObject, old?: KubeObject, found?: FieldError[]): FieldError[]
  /** Returns the errors of a status update. */
  validateStatus(object: KubeObject, old: KubeObject, found?: FieldError[]): FieldError[]
}

/**
 * The maximum number of fields, map entries and set items of an object, without its metadata. Each has managed fields
 * and is compared with the old object: half a million of them in 3 MB would take seconds. With managed fields this many
 * exceed etcd's limit.
 */
const MAX_ITEMS = 150_000

/** Compiles a version of a validated definition. Throws if there is no such version. */
export function compileVersion(crd: Crd, versionName: string): CompiledCrdVersion {
  const version = versionOf(crd, versionName)
  if (!version) throw new Error(`${crd.metadata.name} has no version ${versionName}`)
  const root = version.schema?.openAPIV3Schema ?? ANY_OBJECT
  const tree = schemaTree(root)
  const preserveAll = crd.spec.preserveUnknownFields === true
  const schema = resourceSchema(tree, definitionName(crd.spec.group, versionName, crd.spec.names.kind ?? ''))
  const scale = version.subresources?.scale && customScale(version.subresources.scale)
  const validator = new ObjectValidator(tree, scale)
  return {
    crd,
    resource: resourceOf(crd, version, schema),
    schema,
    deprecationWarning: deprecationWarningOf(crd, version),
    hasStatus: version.subresources?.status !== undefined,
    defaultsStatus: root.properties?.status?.default !== undefined,
    scale,
    selectable: selectableFieldsOf(version.selectableFields ?? []),
    prune(object, nulls) {
      const unknown = coerceMetadata(object)
      if (!preserveAll) {
        addAll(unknown, pruneUnknown(object, tree, true))
        dropNulls(object, tree, nulls)
      }
      coerceEmbedded(object as JsonValue, tree, '', unknown)
      return unknown
    },
    refuseManyItems({ metadata: _, ...content }) {
      if (countItems(content, tree, MAX_ITEMS) <= MAX_ITEMS) return
      throw tooLarge(`Request entity too large: the object has more than ${MAX_ITEMS} items`)
    },
    applyDefaults: (object, maxAdded) => fillDefaults(object, tree, maxAdded),
    validate: (object, old, found) => validator.validate(asJson(object), old && asJson(old), found),
    validateStatus: (object, old, found) => validator.validateStatus(asJson(object), asJson(old), found),
  }
}

function resourceOf(crd: Crd, version: CrdVersion, schema: StructSchema): Resource {
  const { group, scope } = crd.spec
  const names = crd.status?.acceptedNames ?? crd.spec.names
  const kind = names.kind ?? ''
  return {
    group,
    version: version.name,
    kind,
    listKind: names.listKind ?? `${kind}List`,
    plural: names.plural ?? '',
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    schema,
    subresources: subresourcesOf(crd.spec.group, version, kind),
    storage: {
      bucket: `${crd.spec.names.plural}.${group}`,
      version: storageVersionOf(crd)?.name ?? version.name,
    },
    columns: columnsOf(version.additionalPrinterColumns ?? []),
    custom: true,
  }
}

function subresourcesOf(group: string, version: CrdVersion, kind: string): ReadonlyMap<string, Subresource> {
  const subresources = new Map<string, Subresource>()
  const verbs = SUBRESOURCE_VERBS
  if (version.subresources?.status) {
    subresources.set('status', { name: 'status', group, version: version.name, kind, verbs })
  }
  if (version.subresources?.scale) {
    subresources.set('scale', { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs })
  }
  return subresources
}

function deprecationWarningOf(crd: Crd, version: CrdVersion): string | undefined {
  if (!version.deprecated) return undefined
  if (version.deprecationWarning) return version.deprecationWarning
  const { group, names, versions } = crd.spec
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name))
  const use = better ? `; use ${group}/${better.name} ${names.kind}` : ''
  return `${group}/${version.name} ${names.kind} is deprecated${use}`
}

function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject
}
