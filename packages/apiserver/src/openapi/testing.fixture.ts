import type { JsonValue } from '@orrery/kinds'
import type { Field, Schema, StructSchema } from '@orrery/kinds/tables'
import type { SchemaSource } from './payloads.js'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

function struct(name: string | undefined, fields: Record<string, Schema | Omit<Field, 'name'>>): StructSchema {
  const list = Object.entries(fields).map(([field, value]): [string, Field] => [
    field,
    'schema' in value ? { ...value, name: field } : { name: field, schema: value, required: false },
  ])
  const base = {
    type: 'struct',
    fields: new Map(list),
    preserveUnknown: false,
    atomic: false,
    embedded: false,
  } as const
  return name === undefined ? base : { ...base, name }
}

const text: Schema = { type: 'string' }
const kindFields = { apiVersion: text, kind: text }

const OBJECT_META = struct(`${META}.ObjectMeta`, {
  name: text,
  labels: { type: 'map', values: text, atomic: false },
  creationTimestamp: { type: 'time' },
})

const STRUCTS = [
  OBJECT_META,
  struct(`${META}.ListMeta`, { resourceVersion: text }),
  struct(`${META}.Status`, { ...kindFields, code: { type: 'int32' } }),
  struct(`${META}.DeleteOptions`, { ...kindFields, gracePeriodSeconds: { type: 'int64' } }),
]

const SCALE = struct('io.k8s.api.autoscaling.v1.Scale', { ...kindFields, metadata: OBJECT_META })

const CONTAINER = struct('io.k8s.api.core.v1.Container', {
  name: { schema: text, required: true },
  ports: {
    schema: {
      type: 'list',
      items: struct(undefined, { containerPort: { type: 'int32' } }),
      topology: 'map',
      keys: ['containerPort', 'protocol'],
    },
    required: false,
    patchStrategy: 'merge',
    patchMergeKey: 'containerPort',
  },
  memory: { type: 'quantity' },
  target: { type: 'intOrString' },
  protocol: { schema: text, required: false, default: 'TCP' as JsonValue },
})

/** A small Deployment. */
export const DEPLOYMENT = struct('io.k8s.api.apps.v1.Deployment', {
  ...kindFields,
  metadata: OBJECT_META,
  spec: {
    schema: struct('io.k8s.api.apps.v1.DeploymentSpec', {
      container: { schema: CONTAINER, required: true, patchStrategy: 'retainKeys' },
      extra: { type: 'any' },
      data: { type: 'bytes' },
    }),
    required: true,
  },
})

export const TEST_SCHEMAS: SchemaSource = {
  kind: (_group, _version, kind) => (kind === 'Scale' ? SCALE : undefined),
  named(name) {
    const found = STRUCTS.find((candidate) => candidate.name === name)
    if (found === undefined) throw new Error(`no test struct is called ${name}`)
    return found
  },
  custom: () => undefined,
}
