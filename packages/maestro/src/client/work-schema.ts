import { ManifestWork, type NewManifestWork } from '@orrery/api'
import type { ObjectMeta } from '@orrery/kinds'
import { type FieldError, fieldInvalid, formatFieldError, isObject } from '@orrery/kinds/values'

const METADATA_FIELDS = {
  name: true,
  generateName: true,
  namespace: true,
  uid: true,
  selfLink: true,
  resourceVersion: true,
  generation: true,
  creationTimestamp: true,
  deletionTimestamp: true,
  deletionGracePeriodSeconds: true,
  labels: true,
  annotations: true,
  ownerReferences: true,
  finalizers: true,
  managedFields: true,
} satisfies Record<keyof ObjectMeta | 'selfLink', true>

/**
 * What the schema of ManifestWork does not allow, such as misspelled fields and values. Servers and agents ignore these. The
 * status and the contents of manifests are not checked: others write them.
 */
export function schemaErrors(work: NewManifestWork): FieldError[] {
  const { status: _, ...written } = work
  const checked = { ...written, spec: withoutManifests(written.spec) }
  const unknown = [
    ...Object.keys(isObject(work.metadata) ? work.metadata : {})
      .filter((name) => !Object.hasOwn(METADATA_FIELDS, name))
      .map((name) => `metadata.${name}`),
    ...ManifestWork.unknownFields(checked),
  ]
  return [...unknown.map(unknownField), ...ManifestWork.validate(checked)]
}

/** The errors of a changed work that it did not have before: another client may know fields that this one does not. */
export function newSchemaErrors(work: NewManifestWork, before: NewManifestWork): FieldError[] {
  const errors = schemaErrors(work)
  if (errors.length === 0) return errors
  const known = new Set(schemaErrors(before).map(formatFieldError))
  return errors.filter((error) => !known.has(formatFieldError(error)))
}

/** Manifests can be large, and have fields of any kind. */
function withoutManifests(spec: unknown): unknown {
  if (!isObject(spec) || !isObject(spec.workload) || !Array.isArray(spec.workload.manifests)) return spec
  return { ...spec, workload: { ...spec.workload, manifests: [] } }
}

function unknownField(path: string): FieldError {
  const name = path.split('.').at(-1) ?? path
  const siblings = fieldsBeside(path)
  return fieldInvalid(path, name, `unknown field: use ${siblings.join(', ')}`)
}

/** The fields that the object with the unknown field can have. */
function fieldsBeside(path: string): string[] {
  if (path.startsWith('metadata.')) return Object.keys(METADATA_FIELDS)
  let schema = ManifestWork.schema
  for (const part of path.split('.').slice(0, -1)) {
    const [name = '', ...indexes] = part.split('[')
    schema = schema.properties?.[name] ?? {}
    for (const _ of indexes) schema = [schema.items ?? {}].flat()[0] ?? {}
  }
  return Object.keys(schema.properties ?? {})
}
