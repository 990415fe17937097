import type { KubeObject } from '@orrery/kinds'

/** A kind of the load: its path, and the field that distinguishes versions. */
export interface LoadKind {
  readonly collection: string
  make(name: string, payload: string): KubeObject
  /** A merge patch that sets the payload. */
  change(payload: string): object
  payloadOf(object: KubeObject): string
}

export const NAMESPACE = 'load'

export const configMaps: LoadKind = {
  collection: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  make: (name, payload) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { payload } }),
  change: (payload) => ({ data: { payload } }),
  payloadOf: (object) => (object.data as { payload: string }).payload,
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

const secrets: LoadKind = {
  collection: `/api/v1/namespaces/${NAMESPACE}/secrets`,
  make: (name, payload) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: { payload: base64(payload) },
  }),
  change: (payload) => ({ data: { payload: base64(payload) } }),
  payloadOf: (object) => Buffer.from((object.data as { payload: string }).payload, 'base64').toString(),
}

const deployments: LoadKind = {
  collection: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  make: (name, payload) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations: { payload } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'none' }] } },
    },
  }),
  change: (payload) => ({ metadata: { annotations: { payload } } }),
  payloadOf: (object) => object.metadata.annotations?.payload ?? '',
}

const widgets: LoadKind = {
  collection: `/apis/load.example.com/v1/namespaces/${NAMESPACE}/widgets`,
  make: (name, payload) => ({
    apiVersion: 'load.example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { payload },
  }),
  change: (payload) => ({ spec: { payload } }),
  payloadOf: (object) => (object.spec as { payload: string }).payload,
}

export const LOAD_KINDS: readonly LoadKind[] = [configMaps, secrets, deployments, widgets]

/** A CRD whose objects have a payload. */
export function definition(group: string, plural: string, kind: string): KubeObject {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { payload: { type: 'string' } } } },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}
