import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAggregated } from './aggregated.js'
import { readGroups, readVersions } from './classic.js'
import { aggregatedResource, DocumentServer } from './testing.fixture.js'

const verbs = ['get', 'list', 'watch']

const WIDGET = {
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  singular: 'widget',
  shortNames: ['wd'],
  categories: ['all'],
  verbs,
  subresources: [
    { name: 'status', group: 'shop.example.com', version: 'v1', kind: 'Widget', verbs: ['get'] },
    { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'update'] },
  ],
}

test('readAggregated: reads resources with their subresources', () => {
  const groups = readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'shop.example.com' },
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              aggregatedResource('widgets', 'Widget', {
                shortNames: ['wd'],
                categories: ['all'],
                subresources: [
                  { subresource: 'status', responseKind: { group: '', version: '', kind: 'Widget' }, verbs: ['get'] },
                  {
                    subresource: 'scale',
                    responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                    verbs: ['get', 'update'],
                  },
                ],
              }),
            ],
          },
        ],
      },
    ],
  })
  assert.deepEqual(groups, [{ name: 'shop.example.com', versions: [{ version: 'v1', resources: [WIDGET] }] }])
})

test('readGroups: classic documents have the same result', async () => {
  const server = new DocumentServer()
  server.documents.set('/apis/shop.example.com/v1', {
    body: {
      kind: 'APIResourceList',
      groupVersion: 'shop.example.com/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs,
          shortNames: ['wd'],
          categories: ['all'],
        },
        { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get'] },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'update'],
        },
      ],
    },
  })
  const groups = await readGroups(server.client, {
    kind: 'APIGroupList',
    groups: [{ name: 'shop.example.com', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } }],
  })
  assert.deepEqual(groups, [{ name: 'shop.example.com', versions: [{ version: 'v1', resources: [WIDGET] }] }])
})

test('readGroups: the preferred version comes first, and one that fails last', async () => {
  const server = new DocumentServer()
  for (const version of ['v1', 'v2'])
    server.documents.set(`/apis/shop.example.com/${version}`, { body: { resources: [] } })
  server.documents.set('/apis/shop.example.com/v3', { status: 503, body: 'away' })
  const [group] = await readGroups(server.client, {
    kind: 'APIGroupList',
    groups: [
      {
        name: 'shop.example.com',
        versions: [{ version: 'v3' }, { version: 'v1' }, { version: 'v2' }],
        preferredVersion: { version: 'v2' },
      },
    ],
  })
  assert.deepEqual(group?.versions, [
    { version: 'v2', resources: [] },
    { version: 'v1', resources: [] },
    { version: 'v3', resources: [], failure: 'away' },
  ])
})

test('readGroups: rejects if every version fails', async () => {
  const server = new DocumentServer()
  server.documents.set('/api/v1', { status: 500, body: 'broken' })
  await assert.rejects(readVersions(server.client, { kind: 'APIVersions', versions: ['v1'] }), /broken/)
})

test('readGroups: reads at most ten documents at a time', async () => {
  const server = new DocumentServer()
  let open = (): void => undefined
  server.gate = new Promise((resolve) => {
    open = resolve
  })
  const versions = Array.from({ length: 25 }, (_, index) => `v${index}`)
  for (const version of versions) server.documents.set(`/api/${version}`, { body: { resources: [] } })
  const reading = readVersions(server.client, { kind: 'APIVersions', versions })
  assert.equal(server.requests.length, 10)
  open()
  const [core] = await reading
  assert.deepEqual(
    core?.versions.map(({ version }) => version),
    versions,
  )
})

test('readAggregated: a stale version comes last, with its last known resources', () => {
  const [group] = readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'g' },
        versions: [
          { version: 'v2', freshness: 'Stale', resources: [aggregatedResource('things', 'Thing')] },
          { version: 'v1', freshness: 'Current', resources: [aggregatedResource('things', 'Thing')] },
        ],
      },
    ],
  })
  assert.deepEqual(
    group?.versions.map(({ version, failure, resources }) => [version, failure, resources.length]),
    [
      ['v1', undefined, 1],
      ['v2', 'its API server does not answer', 1],
    ],
  )
})

test('readAggregated: omits resources without a kind or with an invalid name', () => {
  const [group] = readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      { metadata: { name: 'a/../b' }, versions: [{ version: 'v1', resources: [] }] },
      {
        metadata: null,
        versions: [
          { version: '..', resources: [aggregatedResource('things', 'Thing')] },
          {
            version: 'v1',
            resources: [
              { resource: 'parents', responseKind: null, subresources: null },
              aggregatedResource('a/b', 'Thing'),
              aggregatedResource('good', 'Good', {
                verbs: null,
                shortNames: ['g', 7],
                subresources: [{ subresource: 'x' }],
              }),
            ],
          },
        ],
      },
    ],
  })
  assert.equal(group?.name, '')
  assert.deepEqual(
    group?.versions.map(({ version, resources }) => [version, resources.map(({ plural }) => plural)]),
    [['v1', ['good']]],
  )
  const good = group?.versions[0]?.resources[0]
  assert.deepEqual([good?.verbs, good?.shortNames, good?.subresources], [[], ['g'], []])
})
