import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resource } from '../kinds/resource.js'
import { answerDiscovery } from './answer.js'
import { Discovery } from './discovery.js'
import { isStatusError, resourceOf, subresourcesOf } from './testing.fixture.js'

const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const V2BETA1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'

const RESOURCES: readonly Resource[] = [
  resourceOf('zoo.example.com', 'v1beta1', 'Ape', { custom: true }),
  resourceOf('zoo.example.com', 'v1', 'Ape', {
    custom: true,
    subresources: subresourcesOf(
      { name: 'status', group: 'zoo.example.com', version: 'v1', kind: 'Ape', verbs: ['get', 'patch', 'update'] },
      { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
    ),
  }),
  resourceOf('apps', 'v1', 'Deployment', { shortNames: ['deploy'], categories: ['all'] }),
  resourceOf('', 'v1', 'Pod'),
  resourceOf('', 'v1', 'ConfigMap', { shortNames: ['cm'] }),
  resourceOf('authorization.k8s.io', 'v1', 'SubjectAccessReview', { namespaced: false, verbs: ['create'] }),
  resourceOf('animals.example.com', 'v1', 'Cat', { custom: true }),
  resourceOf('parts.example.com', 'v1', 'Ape', {
    custom: true,
    verbs: [],
    subresources: subresourcesOf({
      name: 'feed',
      group: 'parts.example.com',
      version: 'v1',
      kind: 'Ape',
      verbs: ['update'],
    }),
  }),
]

function discovery(): Discovery {
  const served = new Discovery({ serverAddress: () => '10.0.0.1:6443' })
  served.update(RESOURCES)
  return served
}

function read(path: string, accept?: string): Record<string, unknown> {
  const document = discovery().get(path, accept)
  assert.ok(document, `nothing at ${path}`)
  return JSON.parse(document.body.toString())
}

const names = (list: { name: string }[]): string[] => list.map(({ name }) => name)

test('Discovery: lists the versions of the core group at /api', () => {
  assert.deepEqual(read('/api'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' }],
  })
})

test('Discovery: lists built-in groups in their order at /apis, then others by name', () => {
  const { groups } = read('/apis') as { groups: { name: string; versions: { version: string }[] }[] }
  assert.deepEqual(names(groups), [
    'apps',
    'authorization.k8s.io',
    'animals.example.com',
    'parts.example.com',
    'zoo.example.com',
  ])
  assert.deepEqual(
    groups.at(-1)?.versions.map(({ version }) => version),
    ['v1', 'v1beta1'],
  )
})

test('Discovery: names the preferred version of a group', () => {
  const group = read('/apis/zoo.example.com')
  assert.deepEqual(group.preferredVersion, { groupVersion: 'zoo.example.com/v1', version: 'v1' })
  assert.equal(group.kind, 'APIGroup')
})

test('Discovery: lists resources by name, each followed by its subresources', () => {
  const core = read('/api/v1') as { resources: { name: string }[]; apiVersion?: string }
  assert.deepEqual(names(core.resources), ['configmaps', 'pods'])
  assert.equal(core.apiVersion, undefined)
  assert.deepEqual(core.resources[0], {
    name: 'configmaps',
    singularName: 'configmap',
    namespaced: true,
    kind: 'ConfigMap',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['cm'],
    storageVersionHash: 'qFsyl6wFWjQ=',
  })
  const zoo = read('/apis/zoo.example.com/v1') as { resources: { name: string }[] }
  assert.deepEqual(names(zoo.resources), ['apes', 'apes/status', 'apes/scale'])
  assert.deepEqual(zoo.resources[2], {
    name: 'apes/scale',
    singularName: '',
    namespaced: true,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: ['get', 'patch', 'update'],
  })
})

test('Discovery: has no storage version for resources that are not stored', () => {
  const { resources } = read('/apis/authorization.k8s.io/v1') as { resources: object[] }
  assert.deepEqual(Object.keys(resources[0] ?? {}), ['name', 'singularName', 'namespaced', 'kind', 'verbs'])
})

test('Discovery: serves everything in one aggregated document', () => {
  const list = read('/apis', `${V2},${V2BETA1},application/json`) as {
    apiVersion: string
    items: { metadata: { name: string }; versions: { version: string; freshness: string; resources: object[] }[] }[]
  }
  assert.equal(list.apiVersion, 'apidiscovery.k8s.io/v2')
  const zoo = list.items.at(-1)
  assert.equal(zoo?.metadata.name, 'zoo.example.com')
  assert.equal(zoo?.versions[0]?.freshness, 'Current')
  assert.deepEqual(zoo?.versions[0]?.resources, [
    {
      resource: 'apes',
      responseKind: { group: 'zoo.example.com', version: 'v1', kind: 'Ape' },
      scope: 'Namespaced',
      singularResource: 'ape',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: [
        {
          subresource: 'status',
          responseKind: { group: 'zoo.example.com', version: 'v1', kind: 'Ape' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    },
  ])
  assert.equal(read('/api', V2BETA1).apiVersion, 'apidiscovery.k8s.io/v2beta1')
})

test('Discovery: lists only the subresources of a resource without verbs', () => {
  const classic = read('/apis/parts.example.com/v1') as { resources: { name: string }[] }
  assert.deepEqual(names(classic.resources), ['apes/feed'])
  const list = read('/apis', V2) as { items: { metadata: { name: string }; versions: { resources: object[] }[] }[] }
  const parts = list.items.find(({ metadata }) => metadata.name === 'parts.example.com')
  const responseKind = { group: 'parts.example.com', version: 'v1', kind: 'Ape' }
  assert.deepEqual(parts?.versions[0]?.resources, [
    {
      resource: 'apes',
      responseKind: { group: '', version: '', kind: '' },
      scope: 'Namespaced',
      singularResource: '',
      verbs: [],
      subresources: [{ subresource: 'feed', responseKind, verbs: ['update'] }],
    },
  ])
})

test('discoveryForm: selects the first supported form in Accept', () => {
  const served = discovery()
  const typeFor = (accept: string): string | undefined => served.get('/apis', accept)?.contentType
  assert.equal(typeFor('application/json, */*'), 'application/json')
  assert.equal(
    typeFor(`application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,${V2}`),
    V2,
  )
  assert.equal(typeFor(`${V2.replace('v=v2', 'v=v3')},application/json`), 'application/json')
  assert.throws(() => served.get('/apis', 'text/html'), isStatusError(406))
  assert.match(String(served.get('/apis', 'application/yaml')?.body), /^kind: APIGroupList$/m)
  assert.equal(served.get('/apis', 'application/yaml')?.contentType, 'application/yaml')
})

test('answerDiscovery: revalidates aggregated documents until the resources change', () => {
  const served = discovery()
  const ask = (ifNoneMatch?: string) => answerDiscovery(served, { path: '/apis', accept: V2, ifNoneMatch })
  const first = ask()
  assert.equal(first?.status, 200)
  assert.match(first.headers.etag ?? '', /^"[0-9A-F]{128}"$/)
  assert.equal(ask(first.headers.etag)?.status, 304)
  assert.equal(ask(first.headers.etag)?.body.length, 0)
  assert.equal(served.get('/apis', V2)?.body, first.body)
  served.update(RESOURCES.slice(1))
  assert.equal(ask(first.headers.etag)?.status, 200)
})

test('answerDiscovery: returns undefined for other paths', () => {
  const served = discovery()
  for (const path of [
    '/',
    '/api/v2',
    '/apis/apps/v2',
    '/apis/nope',
    '/apis/nope/v1',
    '/apis/apps/v1/x',
    '/api/v1/x',
    '/x',
  ]) {
    assert.equal(served.get(path, undefined), undefined, path)
  }
  assert.ok(served.get('/apis/apps/v1/', undefined))
})
