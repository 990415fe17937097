import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { isBadRequest } from '@orrery/kinds/values'
import { systemClock } from '@orrery/kube/clock'
import { DEFAULT_HUB_FEATURES } from '../features.js'
import { clusterRule } from './cluster-rule.js'
import type { HubQueries } from './hub-queries.js'
import { replicaSetRule } from './replica-set-rule.js'
import type { ValidatingRule } from './rule.js'
import { workRule } from './work-rule.js'

const user = { username: 'jane', uid: '', groups: [], extra: {} }
const settings = {
  features: { ...DEFAULT_HUB_FEATURES, NilExecutorValidating: true },
  manifestLimit: 1,
  clock: systemClock,
}

/** Nothing may be asked: the user of this request did not write what is stored. */
const silent: HubQueries = {
  authorize: () => assert.fail('a right was asked for'),
  isTerminating: () => assert.fail('a namespace was asked for'),
  clusterSets: () => assert.fail('cluster sets were asked for'),
}

function object(kind: string, name: string, spec: object): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'c1', finalizers: ['example.com/hold'] }, spec }
}

function letsGo(rule: ValidatingRule, oldObject: KubeObject): void {
  const written = { ...oldObject, metadata: { ...oldObject.metadata, finalizers: [] } }
  assert.equal(rule.validate({ object: written, oldObject, subresource: '', user }, silent), undefined)
}

test('validate: allows updates of stored objects that it would deny today, such as to remove finalizers', () => {
  const manifests = [{ apiVersion: 'v1', kind: 'Secret', metadata: {} }]
  letsGo(workRule(settings), object('ManifestWork', 'w', { workload: { manifests } }))
  letsGo(workRule(settings), object('ManifestWork', 'w', { workload: {} }))
  letsGo(replicaSetRule(settings), object('ManifestWorkReplicaSet', 's', { manifestWorkTemplate: {} }))
  const managedClusterClientConfigs = [{ url: 'http://c1' }]
  letsGo(clusterRule, object('ManagedCluster', 'not.a.label', { hubAcceptsClient: true, managedClusterClientConfigs }))
})

test('workRule: does not show the content of a work that is too large', () => {
  const manifests = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { key: 'hush' } }]
  const work = object('ManifestWork', 'w', { workload: { manifests } })
  const write = { object: work, oldObject: undefined, subresource: '', user }
  assert.throws(
    () => workRule(settings).validate(write, silent),
    (error) => isBadRequest(error) && !error.message.includes('hush'),
  )
})
