import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceName } from '@orrery/kinds/values'
import { readAggregated } from './aggregated.js'
import { Catalog } from './catalog.js'
import { missingArgument, missingKind, missingPlural } from './missing.js'
import { aggregatedResource } from './testing.fixture.js'
import type { ApiResource } from './types.js'

const catalog = new Catalog(
  readAggregated({
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        versions: [
          {
            version: 'v1',
            resources: [
              aggregatedResource('pods', 'Pod', { shortNames: ['po'], categories: ['all'] }),
              aggregatedResource('events', 'Event', { shortNames: ['ev'] }),
              aggregatedResource('namespaces', 'Namespace', { scope: 'Cluster', shortNames: ['ns'] }),
            ],
          },
        ],
      },
      {
        metadata: { name: 'apps' },
        versions: [
          {
            version: 'v1',
            resources: [
              aggregatedResource('deployments', 'Deployment', { shortNames: ['deploy'], categories: ['all'] }),
            ],
          },
          {
            version: 'v1beta1',
            resources: [
              aggregatedResource('deployments', 'Deployment', { shortNames: ['deploy'], categories: ['all'] }),
              aggregatedResource('rollbacks', 'Rollback'),
            ],
          },
        ],
      },
      {
        metadata: { name: 'events.k8s.io' },
        versions: [{ version: 'v1', resources: [aggregatedResource('events', 'Event', { shortNames: ['ev'] })] }],
      },
      {
        metadata: { name: 'zoo.example.com' },
        versions: [
          {
            version: 'v2',
            resources: [aggregatedResource('po', 'Po'), aggregatedResource('mice', 'Mouse', { singularResource: '' })],
          },
        ],
      },
      { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
    ],
  }),
)

const full = (resource: ApiResource | undefined) => resource && `${resourceName(resource)} ${resource.version}`

test('Catalog: finds a resource by the names that kubectl accepts', () => {
  const cases: Record<string, string> = {
    pods: 'pods v1',
    pod: 'pods v1',
    Pod: 'pods v1',
    PODS: 'pods v1',
    'pods.v1.': 'pods v1',
    deploy: 'deployments.apps v1',
    'deploy.apps': 'deployments.apps v1',
    'deployments.apps': 'deployments.apps v1',
    'deployments.v1beta1.apps': 'deployments.apps v1beta1',
    'Deployment.v1beta1.apps': 'deployments.apps v1beta1',
    rollbacks: 'rollbacks.apps v1beta1',
    mouse: 'mice.zoo.example.com v2',
    'mice.zoo.example.com': 'mice.zoo.example.com v2',
    'mice.v2.zoo.example.com': 'mice.zoo.example.com v2',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(full(catalog.match(text)), expected, text)
})

test('Catalog: the first group wins, unless another or its prefix is named', () => {
  assert.equal(full(catalog.match('events')), 'events v1')
  assert.equal(full(catalog.match('events.events.k8s.io')), 'events.events.k8s.io v1')
  assert.equal(full(catalog.match('ev.events')), 'events.events.k8s.io v1')
  assert.equal(full(catalog.match('events.nope')), undefined)
  assert.equal(full(catalog.match('deployments.v2.apps')), undefined)
})

test('Catalog: the name of a resource wins over the short name of another', () => {
  assert.equal(full(catalog.match('po')), 'po.zoo.example.com v2')
})

test('Catalog: a category returns its resources, each at its preferred version', () => {
  assert.deepEqual(catalog.category('all').map(full), ['pods v1', 'deployments.apps v1'])
  assert.deepEqual(catalog.matchAll('all')?.map(full), ['pods v1', 'deployments.apps v1'])
  assert.deepEqual(catalog.matchAll('ns')?.map(full), ['namespaces v1'])
  assert.equal(catalog.matchAll('nope'), undefined)
})

test('Catalog: finds kinds and plurals at the preferred version, or at the one given', () => {
  assert.equal(full(catalog.kind({ group: 'apps', kind: 'Deployment' })), 'deployments.apps v1')
  assert.equal(
    full(catalog.kind({ group: 'apps', kind: 'Deployment', version: 'v1beta1' })),
    'deployments.apps v1beta1',
  )
  assert.equal(full(catalog.kind({ group: 'apps', kind: 'Rollback' })), 'rollbacks.apps v1beta1')
  assert.equal(full(catalog.kind({ group: 'apps', kind: 'Rollback', version: 'v1' })), undefined)
  assert.equal(full(catalog.resource({ group: '', plural: 'namespaces' })), 'namespaces v1')
  assert.equal(full(catalog.resource({ group: 'apps', plural: 'deployments', version: 'v2' })), undefined)
})

test('Catalog: the error suggests similar names, and lists unavailable versions', () => {
  const text = (error: Error) => error.message.replace(' (not available now: metrics.k8s.io/v1beta1)', '')
  const away = missingArgument(catalog, 'deploymnets')
  assert.equal(
    away.message,
    `the server doesn't have a resource type "deploymnets"; did you mean deployments.apps? (not available now: metrics.k8s.io/v1beta1)`,
  )
  assert.deepEqual(away.nearMisses, ['deployments.apps'])
  assert.equal(away.code, 404)
  assert.equal(
    text(missingArgument(catalog, 'deployments.extensions')),
    `the server doesn't have a resource type "deployments.extensions"; did you mean deployments.apps?`,
  )
  assert.equal(text(missingArgument(catalog, 'xyzzy')), `the server doesn't have a resource type "xyzzy"`)
  assert.equal(
    text(missingPlural(catalog, { group: 'apps', plural: 'deployment', version: 'v1' })),
    `the server doesn't have a resource type "deployment.v1.apps"; did you mean deployments.apps?`,
  )
  assert.equal(
    text(missingKind(catalog, { group: 'extensions', version: 'v1beta1', kind: 'Deployment' })),
    'no matches for kind "Deployment" in version "extensions/v1beta1"; did you mean Deployment in apps/v1 or Deployment in apps/v1beta1?',
  )
  assert.equal(
    text(missingKind(catalog, { group: '', kind: 'Pods' })),
    'no matches for kind "Pods" in the core group; did you mean Pod in v1?',
  )
})
