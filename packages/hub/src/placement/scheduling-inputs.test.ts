import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import type { ApiObject, Kind } from '@orrery/kinds'
import type { Informers } from '@orrery/kube'
import { LocalInformer } from '@orrery/kube/informer'
import { SchedulingInputs } from './scheduling-inputs.js'

/** Informers that the test fills. */
class LocalInformers {
  readonly #informers = new Map<string, LocalInformer>()
  #version = 0

  of(kind: Kind<ApiObject, object>): LocalInformer {
    const informer = this.#informers.get(kind.kind) ?? new LocalInformer(kind)
    this.#informers.set(kind.kind, informer)
    return informer
  }

  set(kind: Kind<ApiObject, object>, metadata: object, fields: object): void {
    const resourceVersion = String(++this.#version)
    const stored = { uid: '1', resourceVersion, creationTimestamp: '2030-01-01T00:00:00Z' }
    const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind }
    this.of(kind).set({ ...object, metadata: { ...stored, ...metadata }, ...fields } as ApiObject)
  }
}

test('SchedulingInputs: a changed cluster is reported to the placements that have selected it first', () => {
  const informers = new LocalInformers()
  const inputs = SchedulingInputs.of(informers as unknown as Informers)
  const namespace = 'apps'
  const label = (zone: string) => informers.set(ManagedCluster, { name: 'c1', labels: { zone } }, { spec: {} })
  const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} }
  informers.set(ManagedClusterSet, { name: 'all' }, { spec: { clusterSelector } })
  informers.set(ManagedClusterSetBinding, { namespace, name: 'all' }, { spec: { clusterSet: 'all' } })
  label('a')
  const requiredClusterSelector = { labelSelector: { matchLabels: { zone: 'b' } } }
  for (const name of ['p1', 'p2', 'p3']) {
    informers.set(Placement, { namespace, name }, { spec: { predicates: [{ requiredClusterSelector }] } })
  }
  const labels = { [PLACEMENT_LABEL]: 'p2' }
  const decisions = [{ clusterName: 'c1', reason: '' }]
  informers.set(PlacementDecision, { namespace, name: 'p2-decision-1', labels }, { status: { decisions } })
  const reported: string[] = []
  inputs.subscribe(({ name }) => reported.push(name))
  label('b')
  assert.deepEqual(reported, ['p2', 'p1', 'p3'])
})
