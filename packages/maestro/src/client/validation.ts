import { MANIFEST_LIMIT, manifestSize, type NewManifestWork } from '@orrery/api'
import {
  badRequest,
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  invalid,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isObject,
  isQualifiedName,
  parseGroupVersion,
} from '@orrery/kinds/values'
import { newSchemaErrors, schemaErrors } from './work-schema.js'

const KIND = { group: 'work.open-cluster-management.io', kind: 'ManifestWork' }
/** These belong to the API server of the cluster. */
const FORBIDDEN = ['generateName', 'resourceVersion', 'deletionGracePeriodSeconds'] as const

/** Throws `StatusError` if a server or an agent would not accept the name of a consumer. */
export function checkConsumer(consumer: string): void {
  const [problem] = isDNS1123Label(consumer)
  if (problem !== undefined) throw badRequest(`consumer ${JSON.stringify(consumer)} is not valid: ${problem}`)
}

/**
 * Checks a work before it is published. Throws `StatusError` with all errors.
 * @param before The work that was changed. What its schema does not allow already is no error.
 */
export function checkWork(work: NewManifestWork, consumer: string, before?: NewManifestWork): void {
  const { metadata, spec } = work
  const manifests: unknown = spec?.workload?.manifests ?? []
  const errors = [
    ...nameErrors(metadata, consumer),
    ...labelErrors({ ...metadata }, 'metadata'),
    ...(before === undefined ? schemaErrors(work) : newSchemaErrors(work, before)),
    ...(Array.isArray(manifests) ? manifestErrors(manifests) : []),
  ]
  if (errors.length > 0) throw invalid(KIND, metadata.name ?? '', errors)
}

function nameErrors({ name, namespace, generateName }: NewManifestWork['metadata'], consumer: string): FieldError[] {
  const errors: FieldError[] = []
  if (generateName !== undefined && generateName !== '') {
    errors.push(
      fieldForbidden('metadata.generateName', 'the ID of a work is computed from its name: set metadata.name'),
    )
  }
  if (name === undefined || name === '') errors.push(fieldRequired('metadata.name', 'a work needs a name'))
  else for (const problem of isDNS1123Label(name)) errors.push(fieldInvalid('metadata.name', name, problem))
  if (namespace !== undefined && namespace !== consumer) {
    const fix = `has to be the consumer ${JSON.stringify(consumer)} of this client, or unset`
    errors.push(fieldInvalid('metadata.namespace', namespace, fix))
  }
  return errors
}

function labelErrors(metadata: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(isObject(metadata.labels) ? metadata.labels : {})) {
    for (const problem of isQualifiedName(key)) errors.push(fieldInvalid(`${path}.labels`, key, problem))
    for (const problem of isLabelValue(String(value))) errors.push(fieldInvalid(`${path}.labels`, value, problem))
  }
  for (const key of Object.keys(isObject(metadata.annotations) ? metadata.annotations : {})) {
    for (const problem of isQualifiedName(key.toLowerCase())) {
      errors.push(fieldInvalid(`${path}.annotations`, key, problem))
    }
  }
  return errors
}

function manifestErrors(manifests: readonly unknown[]): FieldError[] {
  const field = 'spec.workload.manifests'
  if (manifests.length === 0) return [fieldRequired(field, 'Workload manifests should not be empty')]
  const errors: FieldError[] = []
  const seen = new Set<string>()
  let size = 0
  for (const [index, manifest] of manifests.entries()) {
    const path = `${field}[${index}]`
    if (!isObject(manifest)) {
      errors.push(fieldInvalid(path, manifest, 'must be an object'))
      continue
    }
    size += manifestSize(manifest)
    errors.push(...objectErrors(manifest, path))
    const { namespace, name } = metadataOf(manifest)
    const key = [manifest.apiVersion, manifest.kind, namespace, name].join('/')
    if (seen.has(key)) errors.push(fieldDuplicate(path, key))
    seen.add(key)
  }
  if (size > MANIFEST_LIMIT) {
    const problem = `the size of manifests is ${size} bytes which exceeds the ${MANIFEST_LIMIT} limit: use several works`
    errors.push(fieldForbidden(field, problem))
  }
  return errors
}

function objectErrors(manifest: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = []
  const metadata = metadataOf(manifest)
  const { apiVersion, kind } = manifest
  const groupVersion = typeof apiVersion === 'string' ? parseGroupVersion(apiVersion) : undefined
  if (typeof apiVersion !== 'string' || apiVersion === '')
    errors.push(fieldRequired(`${path}.apiVersion`, 'field not set'))
  else if (groupVersion === undefined || groupVersion.version === '' || hasBadGroup(apiVersion, groupVersion.group)) {
    errors.push(fieldInvalid(`${path}.apiVersion`, apiVersion, 'use group/version, or v1 for the core group'))
  }
  if (typeof kind !== 'string' || kind === '') errors.push(fieldRequired(`${path}.kind`, 'field not set'))
  const { name, namespace } = metadata
  if (typeof name !== 'string' || name === '') errors.push(fieldRequired(`${path}.metadata.name`, 'field not set'))
  if (typeof namespace === 'string' && namespace !== '') {
    for (const problem of isDNS1123Label(namespace)) {
      errors.push(fieldInvalid(`${path}.metadata.namespace`, namespace, problem))
    }
  }
  for (const field of FORBIDDEN) {
    const value = metadata[field]
    if (value !== undefined && value !== null && value !== '') {
      errors.push(fieldForbidden(`${path}.metadata.${field}`, 'field cannot be set'))
    }
  }
  return [...errors, ...labelErrors(metadata, `${path}.metadata`)]
}

function hasBadGroup(apiVersion: string, group: string): boolean {
  return apiVersion.includes('/') && isDNS1123Subdomain(group).length > 0
}

function metadataOf({ metadata }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isObject(metadata) ? metadata : {}
}
