import type { GroupVersionKind, JsonObject } from '@orrery/kinds'
import type { Subresource, Verb } from '@orrery/kinds/tables'
import type { Resource } from '../kinds/resource.js'
import type { Entries } from './document.js'
import { apiRoot, capitalised, operationPrefix } from './names.js'

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'

/** The content of a body: the object itself, a patch, or options. */
export type Payload = 'object' | 'list' | 'patch' | 'deleteOptions' | 'status' | 'text'

export interface Operation {
  readonly method: Method
  readonly action: string
  readonly id: string
  readonly description: string
  /** The kind of the operation: that of a subresource can differ from the resource. */
  readonly kind: GroupVersionKind
  /** Names of query parameters. */
  readonly query: readonly string[]
  readonly body: Payload | undefined
  readonly answer: Payload
  /** Status codes of success. */
  readonly codes: readonly number[]
}

export interface ApiPath {
  readonly path: string
  /** Names of path parameters. */
  readonly parameters: readonly string[]
  readonly resource: Resource
  readonly subresource: Subresource | undefined
  readonly operations: readonly Operation[]
}

interface Shape {
  readonly method: Method
  readonly action: string
  readonly verb: string
  readonly query: readonly string[]
  readonly body: Payload | undefined
  readonly answer: Payload
  readonly codes: readonly number[]
  describe(kind: string): string
}

const LIST_QUERY = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
]
const WRITE_QUERY = ['dryRun', 'fieldManager', 'fieldValidation']
const DELETE_QUERY = ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy']
const DELETE_ALL_QUERY = [
  ...DELETE_QUERY,
  ...LIST_QUERY.filter((name) => name !== 'watch' && name !== 'allowWatchBookmarks'),
]

const LIST: Shape = {
  method: 'get',
  action: 'list',
  verb: 'list',
  query: LIST_QUERY,
  body: undefined,
  answer: 'list',
  codes: [200],
  describe: (kind) => `List or watch objects of kind ${kind}.`,
}
const CREATE: Shape = {
  method: 'post',
  action: 'post',
  verb: 'create',
  query: WRITE_QUERY,
  body: 'object',
  answer: 'object',
  codes: [200, 201, 202],
  describe: (kind) => `Create a ${kind}.`,
}
const DELETE_ALL: Shape = {
  method: 'delete',
  action: 'deletecollection',
  verb: 'delete',
  query: DELETE_ALL_QUERY,
  body: 'deleteOptions',
  answer: 'status',
  codes: [200],
  describe: (kind) => `Delete the selected objects of kind ${kind}.`,
}
const READ: Shape = {
  method: 'get',
  action: 'get',
  verb: 'read',
  query: [],
  body: undefined,
  answer: 'object',
  codes: [200],
  describe: (kind) => `Read a ${kind}.`,
}
const REPLACE: Shape = {
  method: 'put',
  action: 'put',
  verb: 'replace',
  query: WRITE_QUERY,
  body: 'object',
  answer: 'object',
  codes: [200, 201],
  describe: (kind) => `Replace a ${kind}.`,
}
const DELETE: Shape = {
  method: 'delete',
  action: 'delete',
  verb: 'delete',
  query: DELETE_QUERY,
  body: 'deleteOptions',
  answer: 'status',
  codes: [200, 202],
  describe: (kind) => `Delete a ${kind}.`,
}
const PATCH: Shape = {
  method: 'patch',
  action: 'patch',
  verb: 'patch',
  query: [...WRITE_QUERY, 'force'],
  body: 'patch',
  answer: 'object',
  codes: [200, 201],
  describe: (kind) => `Patch a ${kind}.`,
}

const COLLECTION: readonly (readonly [Verb, Shape])[] = [
  ['list', LIST],
  ['create', CREATE],
  ['deletecollection', DELETE_ALL],
]
/** Kinds whose deletion returns the last object instead of a Status. */
const ANSWERED_WHEN_DELETED = new Set([
  'CSIDriver',
  'CSINode',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
  'VolumeAttachment',
  'VolumeAttributesClass',
])

const ITEM: readonly (readonly [Verb, Shape])[] = [
  ['get', READ],
  ['update', REPLACE],
  ['delete', DELETE],
  ['patch', PATCH],
]
const SUBRESOURCE: readonly (readonly [Verb, Shape])[] = [
  ['get', READ],
  ['update', REPLACE],
  ['create', CREATE],
  ...ITEM.slice(2),
]

/** Subresources that are a connection or a text stream. */
const CONNECTIONS: Readonly<Record<string, readonly string[]>> = {
  attach: ['container'],
  exec: ['container'],
  log: ['container', 'follow', 'limitBytes', 'previous', 'sinceSeconds', 'tailLines', 'timestamps'],
  portforward: [],
  proxy: ['path'],
}

/** Returns all paths of a group version with their operations. */
function pathsOf(resources: readonly Resource[]): readonly ApiPath[] {
  return resources
    .flatMap((resource) => [
      ...collectionPaths(resource),
      ...itemPaths(resource),
      ...[...resource.subresources.values()].map((subresource) => subresourcePath(resource, subresource)),
    ])
    .filter(({ operations }) => operations.length > 0)
}

/** Returns the item of each path, in the order of the paths. */
export function* pathItems(resources: readonly Resource[], itemOf: (path: ApiPath) => JsonObject): Entries {
  for (const path of [...pathsOf(resources)].sort((a, b) => (a.path < b.path ? -1 : 1))) yield [path.path, itemOf(path)]
}

function collectionPaths(resource: Resource): ApiPath[] {
  const id = (shape: Shape): string =>
    `${shape.verb}${prefixOf(resource)}${shape === DELETE_ALL ? 'Collection' : ''}${scopedKind(resource)}`
  const own: ApiPath = {
    path: collectionRoot(resource),
    parameters: scopeParameters(resource),
    resource,
    subresource: undefined,
    operations: allowed(COLLECTION, resource.verbs).map((shape) => operation(shape, id(shape), resource)),
  }
  if (!resource.namespaced || !resource.verbs.includes('list')) return [own]
  const everywhere: ApiPath = {
    path: `/${apiRoot(resource.group, resource.version)}/${resource.plural}`,
    parameters: [],
    resource,
    subresource: undefined,
    operations: [operation(LIST, `list${prefixOf(resource)}${resource.kind}ForAllNamespaces`, resource)],
  }
  return [everywhere, own]
}

function itemPaths(resource: Resource): ApiPath[] {
  const id = (shape: Shape): string => `${shape.verb}${prefixOf(resource)}${scopedKind(resource)}`
  return [
    {
      path: `${collectionRoot(resource)}/{name}`,
      parameters: ['name', ...scopeParameters(resource)],
      resource,
      subresource: undefined,
      operations: allowed(ITEM, resource.verbs).map((shape) => {
        const item = operation(shape, id(shape), resource)
        const answered = shape === DELETE && !resource.custom && ANSWERED_WHEN_DELETED.has(resource.kind)
        return answered ? { ...item, answer: 'object' as const } : item
      }),
    },
  ]
}

function subresourcePath(resource: Resource, subresource: Subresource): ApiPath {
  const connectQuery = Object.hasOwn(CONNECTIONS, subresource.name) ? CONNECTIONS[subresource.name] : undefined
  const subject = `${scopedKind(resource)}${capitalised(subresource.name)}`
  const operations = allowed(SUBRESOURCE, subresource.verbs).map((shape) =>
    connectQuery === undefined
      ? operation(shape, `${shape.verb}${prefixOf(resource)}${subject}`, subresource)
      : connection(shape.method, connectQuery, resource, subresource),
  )
  return {
    path: `${collectionRoot(resource)}/{name}/${subresource.name}`,
    parameters: ['name', ...scopeParameters(resource)],
    resource,
    subresource,
    operations,
  }
}

function connection(method: Method, query: readonly string[], resource: Resource, subresource: Subresource): Operation {
  const { group, version, kind } = subresource
  const subject = `${scopedKind(resource)}${capitalised(subresource.name)}`
  const isLog = subresource.name === 'log'
  return {
    method,
    action: isLog ? 'get' : 'connect',
    id: isLog ? `read${prefixOf(resource)}${subject}` : `connect${prefixOf(resource)}${capitalised(method)}${subject}`,
    description: isLog
      ? `Read the log of a ${resource.kind}.`
      : `Connect to ${subresource.name} of a ${resource.kind}.`,
    kind: { group, version, kind },
    query,
    body: undefined,
    answer: 'text',
    codes: [200],
  }
}

function operation(shape: Shape, id: string, { group, version, kind }: GroupVersionKind): Operation {
  const { method, action, query, body, answer, codes } = shape
  return {
    method,
    action,
    id,
    description: shape.describe(kind),
    kind: { group, version, kind },
    query,
    body,
    answer,
    codes,
  }
}

function allowed(shapes: readonly (readonly [Verb, Shape])[], verbs: readonly Verb[]): Shape[] {
  return shapes.filter(([verb]) => verbs.includes(verb)).map(([, shape]) => shape)
}

function collectionRoot({ group, version, namespaced, plural }: Resource): string {
  return `/${apiRoot(group, version)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
}

function scopeParameters({ namespaced }: Resource): string[] {
  return namespaced ? ['namespace'] : []
}

function scopedKind({ namespaced, kind }: Resource): string {
  return namespaced ? `Namespaced${kind}` : kind
}

function prefixOf({ group, version }: Resource): string {
  return operationPrefix(group, version)
}
