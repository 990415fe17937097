import type { JsonSchema } from '@orrery/cel/schema'
import type {
  ApiObject,
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
  JsonObject,
  Kind,
  NamespacedMeta,
  ObjectMeta,
  ResourceType,
  StoredMeta,
  ValidationRule,
} from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import { object } from './builders.js'
import { type CrdDraft, crdOf } from './crd.js'
import { ObjectSchema } from './object-schema.js'
import type { Fields, Flat, NewFields, ReadFields } from './schema.js'

type Scope = 'Namespaced' | 'Cluster'

/** The definition of one version of a kind. */
export interface KindOptions<F extends Fields, S extends Scope> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  /** Default: the kind in lower case. */
  readonly singular?: string
  readonly scope: S
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** The description of the kind that `kubectl explain` shows. */
  readonly description: string
  /** The fields besides `apiVersion`, `kind` and `metadata`. */
  readonly fields: F
  /** Whether the kind has a status subresource. Default false. */
  readonly statusSubresource?: boolean
  readonly scale?: CustomResourceSubresourceScale
  /** The columns that `kubectl get` shows. */
  readonly columns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly string[]
  /** Default true. */
  readonly served?: boolean
  /** Whether objects are stored in this version. Default true. */
  readonly storage?: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  /** Annotations of the CRD. */
  readonly annotations?: Readonly<Record<string, string>>
  /** CEL rules for the whole object. They can read `metadata.name`. */
  readonly rules?: readonly ValidationRule[]
}

/** The names of a kind. */
export interface KindNames {
  readonly singular: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

/** A kind with its schema, for any object type. */
export interface AnyKind extends ResourceType {
  readonly names: KindNames
  readonly schema: JsonSchema
  readonly crdVersion: CustomResourceDefinitionVersion
  /** The CustomResourceDefinition of the kind, if this is its only version. */
  readonly crd: CrdDraft
  /** Annotations of the CRD. */
  readonly annotations: Readonly<Record<string, string>>
  /** Validates an object as a server does, without metadata and CEL rules. */
  validate(object: object): FieldError[]
  /** The paths of fields that the kind does not have, as strict field validation reports them. Metadata is not checked. */
  unknownFields(object: object): string[]
}

/** A kind with its schema, for requests, validation and CRDs. */
export interface DefinedKind<T extends ApiObject, New extends object> extends Kind<T, New>, AnyKind {
  /** A copy of an object as a server stores it: pruned and defaulted. */
  complete(object: New): Flat<Omit<T, 'metadata'> & { metadata: ObjectMeta }>
}

/** The type of the objects of a kind with these fields. */
export type KindObject<F extends Fields, S extends Scope> = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: S extends 'Namespaced' ? NamespacedMeta : StoredMeta
} & ReadFields<F>

/** The type of new objects of a kind with these fields. */
export type KindDraft<F extends Fields> = {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
} & NewFields<F>

/** Defines a version of a kind from its schema. */
export function defineKind<F extends Fields, const S extends Scope>(
  options: KindOptions<F, S>,
): DefinedKind<Flat<KindObject<F, S>>, Flat<KindDraft<F>>> {
  const { group, version, kind, plural, scope, fields, annotations = {} } = options
  const schema = rootSchema(options, fields)
  const checked = new ObjectSchema(schema)
  const defined: DefinedKind<Flat<KindObject<F, S>>, Flat<KindDraft<F>>> = {
    group,
    version,
    kind,
    plural,
    scope,
    names: {
      singular: options.singular ?? kind.toLowerCase(),
      listKind: `${kind}List`,
      shortNames: options.shortNames ?? [],
      categories: options.categories ?? [],
    },
    schema,
    crdVersion: versionOf(options, schema),
    get crd() {
      return crdOf([defined])
    },
    annotations,
    validate: (object) => checked.validate(object as JsonObject),
    unknownFields: (object) => checked.unknownFields(object as JsonObject),
    complete: (object) => {
      const apiVersion = `${group}/${version}`
      return checked.complete({ apiVersion, kind, ...object } as unknown as JsonObject) as never
    },
  }
  return defined
}

function rootSchema(
  { description, rules }: Pick<KindOptions<Fields, Scope>, 'description' | 'rules'>,
  fields: Fields,
): JsonSchema {
  const { json } = object(fields, { description, ...(rules !== undefined && { rules }) })
  const meta: Record<string, JsonSchema> = {
    apiVersion: { description: "APIVersion is the API group and version of the object's schema.", type: 'string' },
    kind: { description: 'Kind is the kind of the object.', type: 'string' },
    metadata: { type: 'object' },
  }
  return { ...json, properties: { ...meta, ...json.properties } }
}

function versionOf(options: KindOptions<Fields, Scope>, schema: JsonSchema): CustomResourceDefinitionVersion {
  const { columns, deprecated, deprecationWarning, scale, selectableFields, statusSubresource } = options
  return {
    name: options.version,
    served: options.served ?? true,
    storage: options.storage ?? true,
    ...(deprecated !== undefined && { deprecated }),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(columns !== undefined && { additionalPrinterColumns: [...columns] }),
    ...(selectableFields !== undefined && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    ...((statusSubresource === true || scale !== undefined) && {
      subresources: { ...(statusSubresource === true && { status: {} }), ...(scale !== undefined && { scale }) },
    }),
    // Builders take only reasons that rules may have.
    schema: { openAPIV3Schema: schema as JSONSchemaProps },
  }
}
