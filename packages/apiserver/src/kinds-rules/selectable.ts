import type { JsonObject, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { childOf, textOf } from './read.js'

/** The fields that field selectors support for a kind, besides `metadata.name` and `metadata.namespace`. */
export interface SelectableFields {
  readonly names: readonly string[]
  valuesOf(object: KubeObject): Readonly<Record<string, string>>
}

type Read = (object: JsonObject) => string

/** The label, and the path of its value if it differs, or a function that reads it. */
type FieldTable = Readonly<Record<string, string | Read>>

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

function eventFields(regarding: string, controller: string, source: string): FieldTable {
  return {
    ...Object.fromEntries(INVOLVED.map((name) => [`${regarding}.${name}`, `${regarding}.${name}`])),
    reason: 'reason',
    [controller]: controller,
    ...(source === 'source' && {
      source: (event: JsonObject) => textOf(childOf(event, source), 'component') || textOf(event, controller),
    }),
    type: 'type',
  }
}

const zero = (path: string) => (object: JsonObject) => read(object, path) || '0'
const no = (path: string) => (object: JsonObject) => read(object, path) || 'false'

const TABLES: Readonly<Record<string, FieldTable>> = {
  '/Event': eventFields('involvedObject', 'reportingComponent', 'source'),
  '/Namespace': { 'status.phase': 'status.phase', name: 'metadata.name' },
  '/Node': { 'spec.unschedulable': no('spec.unschedulable') },
  '/PersistentVolume': { name: 'metadata.name' },
  '/PersistentVolumeClaim': { name: 'metadata.name' },
  '/Pod': {
    'spec.nodeName': 'spec.nodeName',
    'spec.restartPolicy': 'spec.restartPolicy',
    'spec.schedulerName': 'spec.schedulerName',
    'spec.serviceAccountName': 'spec.serviceAccountName',
    'spec.hostNetwork': no('spec.hostNetwork'),
    'status.phase': 'status.phase',
    'status.podIP': 'status.podIP',
    'status.podIPs': 'status.podIP',
    'status.nominatedNodeName': 'status.nominatedNodeName',
  },
  '/ReplicationController': { 'status.replicas': zero('status.replicas') },
  '/Secret': { type: 'type' },
  '/Service': { 'spec.clusterIP': 'spec.clusterIP', 'spec.type': 'spec.type' },
  'apps/ReplicaSet': { 'status.replicas': zero('status.replicas') },
  'batch/Job': { 'status.successful': zero('status.succeeded') },
  'certificates.k8s.io/CertificateSigningRequest': { 'spec.signerName': 'spec.signerName' },
  'resource.k8s.io/ResourceSlice': { 'spec.nodeName': 'spec.nodeName', 'spec.driver': 'spec.driver' },
  'events.k8s.io/Event': eventFields('regarding', 'reportingController', ''),
}

function read(object: JsonObject, path: string): string {
  let value: unknown = object
  for (const name of path.split('.')) value = isObject(value as JsonObject) ? (value as JsonObject)[name] : undefined
  return value === undefined || value === null ? '' : String(value)
}

const NONE: SelectableFields = { names: [], valuesOf: () => ({}) }

const compiled: ReadonlyMap<string, SelectableFields> = new Map(
  Object.entries(TABLES).map(([kind, table]) => {
    const fields = Object.entries(table)
    const valuesOf = (object: KubeObject) => {
      const json = object as unknown as JsonObject
      const values: Record<string, string> = {}
      for (const [name, from] of fields) values[name] = typeof from === 'string' ? read(json, from) : from(json)
      return values
    }
    return [kind, { names: fields.map(([name]) => name), valuesOf }]
  }),
)

/** Returns the fields that field selectors support for a built-in kind. */
export function selectableFields(group: string, kind: string): SelectableFields {
  return compiled.get(`${group}/${kind}`) ?? NONE
}
