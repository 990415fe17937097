import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  AGENT_SUBJECT_PREFIX,
  addOnConverters,
  MANAGED_CLUSTERS_GROUP,
  ManagedCluster,
  ManagedClusterCondition,
} from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { ensureBootstrapToken, installHub, startHub } from '@orrery/hub'
import {
  ClusterRoleBinding,
  CustomResourceDefinition,
  type KubeObject,
  Namespace,
  type ResourceScope,
  Role,
  RoleBinding,
  type Subject,
} from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { type GatedNode, NodeGate } from '@orrery/node'
import { SAMPLES } from '../fuzz/samples.js'
import { loadAuthority } from './internals.js'
import { OTHER, OWN, PROBE, type Served } from './path-requests.js'
import type { Policy } from './rbac-oracle.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
export const AGENT = {
  user: `${AGENT_SUBJECT_PREFIX}${OWN}:agent`,
  groups: [`${AGENT_SUBJECT_PREFIX}${OWN}`, MANAGED_CLUSTERS_GROUP],
}

/** A hub with one object of as many kinds as possible in two namespaces, and users with roles in one of them. */
export interface PathCluster {
  readonly server: ApiServer
  readonly client: KubeClient
  readonly authority: ReturnType<typeof loadAuthority>
  readonly bootstrapToken: string
  readonly served: readonly Served[]
  /** The number of probes. */
  readonly probes: number
}

export async function startPathCluster(t: TestContext): Promise<PathCluster> {
  const gate = new NodeGate()
  gate.open(NODE)
  const { connectors, groups } = gate
  const server = await startApiServer({ converters: addOnConverters, connectors, groups })
  t.after(() => server.close())
  const client = server.client()
  await installHub(client)
  const hub = await startHub({ client })
  try {
    await client.create(ManagedCluster, { metadata: { name: OWN }, spec: { hubAcceptsClient: true } })
    await eventually('the cluster is accepted', async () => {
      const { status } = await client.get(ManagedCluster, { name: OWN })
      return findCondition(status?.conditions, ManagedClusterCondition.HubAccepted)?.status === 'True'
    })
  } finally {
    // Writes of the hub itself would look like those of a request.
    await hub.close()
  }
  await client.create(Namespace, { metadata: { name: OTHER } })
  for (const scope of ['Namespaced', 'Cluster'] as const) await define(client, scope)
  const bootstrapToken = await ensureBootstrapToken(client)
  const served = await discover(client)
  const probes = await createProbes(client, served)
  await grantRoles(client)
  const file = (name: string) => readFile(join(server.dataDirectory, 'pki', name), 'utf8')
  const authority = loadAuthority(await file('ca.crt'), await file('ca.key'))
  return { server, client, authority, bootstrapToken, served, probes }
}

const idle = { cores: 0.1, bytes: 1024 }
const podIn = (namespace: string) => ({
  pod: { metadata: { namespace, name: PROBE, labels: {} } } as never,
  containers: new Map([['main', idle]]),
})
/** A node that runs nothing and measures a pod in each namespace. */
const NODE: GatedNode = {
  find: () => undefined,
  now: () => new Date(),
  usage: async () => ({ name: PROBE, usage: idle, pods: [podIn(OWN), podIn(OTHER)] }),
}

/** Custom resources of both scopes, with all subresources. */
async function define(client: KubeClient, scope: ResourceScope): Promise<void> {
  const plural = `${scope.toLowerCase()}things`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {}, scale } }
  await client.create(CustomResourceDefinition, {
    metadata: { name: `${plural}.paths.example.test` },
    spec: { group: 'paths.example.test', scope, names: { plural, kind: `${scope}Thing` }, versions: [version] },
  })
  await eventually(`${plural} are served`, async () => {
    const { status } = await client.raw({ method: 'GET', path: `/apis/paths.example.test/v1/${plural}` })
    return status === 200
  })
}

interface ResourceList {
  readonly groupVersion: string
  readonly resources: readonly Omit<Served, 'group' | 'version' | 'embedded'>[]
}

async function discover(client: KubeClient): Promise<Served[]> {
  const { groups } = await client.getJson<{ groups: { versions: { groupVersion: string }[] }[] }>('/apis')
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))]
  const lists = await Promise.all(roots.map((root) => client.getJson<ResourceList>(root)))
  return lists.flatMap(({ groupVersion, resources }) => {
    const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]
    return resources.map(({ name, kind, namespaced, verbs }) => {
      return { group, version, name, kind, namespaced, verbs, embedded: group === 'metrics.k8s.io' }
    })
  })
}

async function createProbes(client: KubeClient, served: readonly Served[]): Promise<number> {
  let created = 0
  for (const { group, version, name, kind, namespaced, verbs } of served) {
    if (!verbs.includes('create') || name.includes('/') || name === 'namespaces') continue
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const apiVersion = group === '' ? version : `${group}/${version}`
    const sample = SAMPLES[`${name}.${group}`] ?? {}
    const body = JSON.stringify({ ...sample, apiVersion, kind, metadata: { name: PROBE } })
    const places = namespaced
      ? [OWN, OTHER].map((namespace) => `${root}/namespaces/${namespace}/${name}`)
      : [`${root}/${name}`]
    for (const path of places) {
      const { status } = await client.raw({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (status === 201) created++
    }
  }
  return created
}

/** The roles of users, by their names. */
async function grantRoles(client: KubeClient): Promise<void> {
  const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
  const inOwn = (name: string) => ({ metadata: { namespace: OWN, name } })
  await client.create(Role, { ...inOwn('everything'), rules: [everything] })
  await client.create(Role, { ...inOwn('named'), rules: [{ ...everything, resourceNames: [PROBE] }] })
  const apiGroup = Role.group
  const user = (name: string) => ({ kind: 'User', name, apiGroup })
  const bind = (name: string, kind: string, role: string, subject: Subject) =>
    client.create(RoleBinding, { ...inOwn(name), roleRef: { apiGroup, kind, name: role }, subjects: [subject] })
  for (const role of ['view', 'edit', 'admin']) await bind(`is-${role}`, 'ClusterRole', role, user(`${role}-of-own`))
  await bind('owner', 'Role', 'everything', user('owner'))
  await bind('named', 'Role', 'named', user('named'))
  await bind('account', 'Role', 'everything', { kind: 'ServiceAccount', name: PROBE, namespace: OWN })
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'views-all' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
    subjects: [user('viewer-of-all')],
  })
}

/** The RBAC objects, as the administrator reads them. */
export async function readPolicy(client: KubeClient): Promise<Policy> {
  const all = async <T>(plural: string) => (await client.getJson<{ items: T[] }>(`${RBAC}/${plural}`)).items
  return {
    clusterRoles: await all('clusterroles'),
    roles: await all('roles'),
    clusterRoleBindings: await all('clusterrolebindings'),
    roleBindings: await all('rolebindings'),
  }
}

/** Everything that requests could have changed, without the writes of the server's own controllers. */
export async function snapshot({ client, served }: PathCluster): Promise<Map<string, string>> {
  const state = new Map<string, string>()
  for (const { group, version, name, verbs, embedded } of served) {
    if (embedded || !verbs.includes('list')) continue
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const { items } = await client.getJson<{ items: KubeObject[] }>(`${root}/${name}`)
    for (const { status: _, ...object } of items) {
      const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata
      const key = `${root}/${name} ${metadata.namespace ?? ''}/${metadata.name}`
      state.set(key, JSON.stringify({ ...object, metadata }))
    }
  }
  assert.ok(state.size > 0)
  return state
}
