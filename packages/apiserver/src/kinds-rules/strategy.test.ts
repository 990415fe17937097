import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { selectableFields, strategyOf, warningsFor } from './index.js'

test('strategyOf: separates spec and status for resources with a status', () => {
  assert.deepEqual(strategyOf('apps', 'replicasets').resetFields(''), [['status']])
  assert.deepEqual(strategyOf('apps', 'replicasets').resetFields('status'), [['spec']])
  assert.deepEqual(strategyOf('apps', 'deployments').resetFields('status'), [['spec'], ['metadata', 'labels']])
  assert.deepEqual(strategyOf('', 'configmaps').resetFields(''), [])
  assert.equal(strategyOf('', 'configmaps').hasStatus, false)
  assert.equal(strategyOf('', 'nodes').keepsStatusOnCreate, true)
})

test('strategyOf: resets other fields in the subresources of a CertificateSigningRequest', () => {
  const { resetFields } = strategyOf('certificates.k8s.io', 'certificatesigningrequests')
  assert.deepEqual(resetFields('approval'), [['spec'], ['status', 'certificate']])
  assert.deepEqual(resetFields('status'), [['spec'], ['status', 'conditions']])
})

test('strategyOf: knows create on update, unconditional update and the response of a delete', () => {
  assert.equal(strategyOf('coordination.k8s.io', 'leases').allowCreateOnUpdate, true)
  assert.equal(strategyOf('coordination.k8s.io', 'leases').allowUnconditionalUpdate, false)
  assert.equal(strategyOf('', 'configmaps').allowUnconditionalUpdate, true)
  assert.equal(strategyOf('', 'pods').gracefulDeletion, true)
  assert.equal(strategyOf('', 'pods').returnsDeletedObject, true)
  assert.equal(strategyOf('batch', 'jobs').orphansByDefault, true)
  assert.equal(strategyOf('apps', 'deployments').generationCounts, 'annotations')
})

test('selectableFields: selects pods by node, phase and others', () => {
  const { names, valuesOf } = selectableFields('', 'Pod')
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { nodeName: 'n1', restartPolicy: 'Always' },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  }
  const values = valuesOf(pod)
  assert.deepEqual(Object.keys(values), [...names])
  assert.equal(values['spec.nodeName'], 'n1')
  assert.equal(values['spec.hostNetwork'], 'false')
  assert.equal(values['status.phase'], 'Running')
  assert.equal(values['status.podIP'], '10.0.0.1')
  assert.equal(values['spec.schedulerName'], '')
})

test('selectableFields: reads unset numbers and booleans as zero and false', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: {} }
  assert.deepEqual(selectableFields('batch', 'Job').valuesOf(object), { 'status.successful': '0' })
  assert.deepEqual(selectableFields('', 'Node').valuesOf(object), { 'spec.unschedulable': 'false' })
  assert.deepEqual(selectableFields('', 'ConfigMap').names, [])
})

test('warningsFor: returns warnings about ineffective fields', () => {
  const container = {
    name: 'c',
    image: 'x',
    env: [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ],
  }
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [container], nodeSelector: { 'beta.kubernetes.io/os': 'linux' }, volumes: [{ gitRepo: {} }] },
  }
  assert.deepEqual(warningsFor('', 'Pod', pod, undefined), [
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  ])
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { template: { spec: pod.spec } } }
  assert.match(
    warningsFor('apps', 'Deployment', deployment, undefined)[0] ?? '',
    /^spec\.template\.spec\.nodeSelector\[/,
  )
})
