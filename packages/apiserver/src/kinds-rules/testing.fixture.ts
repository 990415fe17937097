import assert from 'node:assert/strict'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { kindSchema } from '@orrery/kinds/tables'
import { cloneJson, formatFieldError, parseGroupVersion } from '@orrery/kinds/values'
import { conform } from '../schema/conform.js'
import { applyDefaults, prepareObject, validateCreate, validateUpdate } from './index.js'

export const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
export const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
export const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
export const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** A change to a valid object, and the expected errors. */
export type Case = readonly [path: string, value: JsonValue | undefined, expected: string | readonly string[]]

const CLUSTER_KINDS = [
  'ClusterRole',
  'ClusterRoleBinding',
  'CSIDriver',
  'DeviceClass',
  'IngressClass',
  'IPAddress',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'ResourceSlice',
  'RuntimeClass',
  'StorageClass',
  'ValidatingWebhookConfiguration',
]

/** Returns a copy of an object with one field set, or removed if the value is undefined. */
export function withField(object: KubeObject, path: string, value: JsonValue | undefined): KubeObject {
  const copy = cloneJson(object)
  const names = path.match(/[^.[\]]+/g) ?? []
  let parent = copy as unknown as JsonObject
  for (const [i, name] of names.slice(0, -1).entries()) {
    parent[name] ??= /^\d+$/.test(names[i + 1] ?? '') ? [] : {}
    parent = parent[name] as JsonObject
  }
  const last = names.at(-1) ?? ''
  if (value === undefined) delete parent[last]
  else parent[last] = cloneJson(value)
  return copy
}

/** Returns an object after decoding and defaulting. */
export function decoded(object: KubeObject): KubeObject {
  const { group, version } = parseGroupVersion(object.apiVersion) ?? { group: '', version: '' }
  const schema = kindSchema(group, version, object.kind)
  assert.ok(schema, `a schema of ${object.kind}`)
  const typed = conform(cloneJson(object) as unknown as JsonObject, schema).object as unknown as KubeObject
  typed.metadata ??= {}
  if (!CLUSTER_KINDS.includes(object.kind)) typed.metadata.namespace ??= 'default'
  applyDefaults(group, object.kind, typed)
  return typed
}

/** Returns an object as the server would store it. */
export function created(object: KubeObject): KubeObject {
  const typed = decoded(object)
  typed.metadata.uid = 'c0ffee00-0000-4000-8000-000000000000'
  prepareObject(groupOf(object), object.kind, typed, undefined, '', new Date(0))
  return typed
}

function groupOf(object: KubeObject): string {
  return parseGroupVersion(object.apiVersion)?.group ?? ''
}

/** Returns the errors of a new object, one per line. */
export function problemsOf(object: KubeObject): string[] {
  return validateCreate(groupOf(object), object.kind, created(object)).map(formatFieldError)
}

/** Returns the errors of an update, one per line. */
export function problemsOfChange(object: KubeObject, old: KubeObject, subresource = ''): string[] {
  const now = decoded(object)
  prepareObject(groupOf(object), object.kind, now, old, subresource, new Date(0))
  return validateUpdate(groupOf(object), object.kind, now, old, subresource).map(formatFieldError)
}

/** Asserts that the object is valid and each change is refused as expected. */
export function refuses(object: KubeObject, cases: readonly Case[]): void {
  assert.deepEqual(problemsOf(object), [], `${object.kind} is sound`)
  for (const [path, value, expected] of cases) {
    const lines = typeof expected === 'string' ? [expected] : expected
    assert.deepEqual(problemsOf(withField(object, path, value)), lines, `${object.kind} ${path}`)
  }
}
