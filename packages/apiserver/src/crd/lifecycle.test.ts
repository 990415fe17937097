import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinitionCondition } from '@orrery/kinds/apiextensions'
import { cleanupStatus, isServed, needsCleanup, nextCrdStatus } from './lifecycle.js'
import { CLEANUP_FINALIZER, defaultCrd, prepareCrdCreate, prepareCrdDelete, prepareCrdUpdate } from './prepare.js'
import { widgets } from './test-crd.fixture.js'
import type { Crd } from './types.js'

const NOW = '2024-05-01T00:00:00Z'
const LATER = '2024-05-02T00:00:00Z'

function named(name: string, change: (crd: Crd) => void = () => undefined): Crd {
  const crd = widgets()
  crd.metadata.name = `${name}.example.com`
  crd.spec.names = { plural: name, singular: name, kind: name, listKind: `${name}List` }
  change(crd)
  return crd
}

function condition(crd: Crd, type: string): Partial<CustomResourceDefinitionCondition> | undefined {
  return crd.status?.conditions?.find((candidate) => candidate.type === type)
}

function settle(crd: Crd, others: Crd[], now = NOW): Crd {
  const status = nextCrdStatus(crd, [crd, ...others], new Date(now))
  if (status) crd.status = status
  return crd
}

test('nextCrdStatus: accepts the names of a single definition and establishes it', () => {
  const crd = settle(widgets(), [])
  assert.deepEqual(crd.status?.conditions, [
    {
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
      lastTransitionTime: NOW,
    },
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
      lastTransitionTime: NOW,
    },
  ])
  assert.deepEqual(crd.status?.acceptedNames, crd.spec.names)
  assert.deepEqual(crd.status?.storedVersions, ['v1'])
  assert.equal(isServed(crd), true)
  assert.equal(nextCrdStatus(crd, [crd], new Date(LATER)), undefined)
})

test('nextCrdStatus: does not establish a definition with a taken name until it is free', () => {
  const first = settle(
    named('gadgets', (crd) => (crd.spec.names.shortNames = ['g'])),
    [],
  )
  const second = named('gizmos', (crd) => {
    crd.spec.names.shortNames = ['g', 'gz']
    crd.spec.names.kind = 'gadgets'
  })
  settle(second, [first])
  assert.deepEqual(condition(second, 'NamesAccepted'), {
    type: 'NamesAccepted',
    status: 'False',
    reason: 'KindConflict',
    message: '"gadgets" is already in use',
    lastTransitionTime: NOW,
  })
  assert.equal(condition(second, 'Established')?.reason, 'NotAccepted')
  assert.deepEqual(second.status?.acceptedNames, { plural: 'gizmos', singular: 'gizmos', listKind: 'gizmosList' })
  settle(second, [], LATER)
  assert.equal(condition(second, 'NamesAccepted')?.status, 'True')
  assert.equal(condition(second, 'NamesAccepted')?.lastTransitionTime, LATER)
  assert.equal(isServed(second), true)
})

test('nextCrdStatus: reports taken short names together', () => {
  const first = settle(
    named('gadgets', (crd) => (crd.spec.names.shortNames = ['a', 'b'])),
    [],
  )
  const second = settle(
    named('gizmos', (crd) => (crd.spec.names.shortNames = ['a', 'b'])),
    [first],
  )
  assert.equal(condition(second, 'NamesAccepted')?.reason, 'ShortNamesConflict')
  assert.equal(condition(second, 'NamesAccepted')?.message, '["a" is already in use, "b" is already in use]')
})

test('nextCrdStatus: keeps a definition established', () => {
  const first = settle(named('gadgets'), [])
  const second = settle(named('gizmos'), [first])
  second.spec.names.singular = 'gadgets'
  settle(second, [first], LATER)
  assert.equal(condition(second, 'NamesAccepted')?.reason, 'SingularConflict')
  assert.equal(condition(second, 'Established')?.status, 'True')
  assert.equal(second.status?.acceptedNames?.singular, 'gizmos')
})

test('nextCrdStatus: requires approval in groups of Kubernetes', () => {
  const crd = named('gadgets')
  crd.spec.group = 'x.k8s.io'
  settle(crd, [])
  assert.equal(condition(crd, 'KubernetesAPIApprovalPolicyConformant')?.reason, 'MissingAnnotation')
  crd.metadata.annotations = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1' }
  settle(crd, [])
  assert.equal(condition(crd, 'KubernetesAPIApprovalPolicyConformant')?.reason, 'ApprovedAnnotation')
  crd.metadata.annotations = { 'api-approved.kubernetes.io': 'unapproved, just a test' }
  settle(crd, [])
  assert.equal(condition(crd, 'KubernetesAPIApprovalPolicyConformant')?.reason, 'UnapprovedAnnotation')
})

test('nextCrdStatus: does not establish a webhook with an invalid CA bundle', () => {
  const crd = named('gadgets')
  const caBundle = Buffer.from('nonsense').toString('base64')
  crd.spec.conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://x', caBundle }, conversionReviewVersions: ['v1'] },
  }
  settle(crd, [])
  assert.equal(condition(crd, 'Established')?.reason, 'InvalidCABundle')
  assert.equal(isServed(crd), false)
})

test('needsCleanup: waits for the objects of a deleted definition', () => {
  const crd = settle(widgets(), [])
  assert.equal(needsCleanup(crd), false)
  prepareCrdDelete(crd, new Date(LATER))
  assert.equal(crd.metadata.deletionTimestamp, LATER)
  assert.deepEqual(crd.metadata.finalizers, [CLEANUP_FINALIZER])
  assert.equal(condition(crd, 'Terminating')?.reason, 'InstanceDeletionPending')
  assert.equal(needsCleanup(crd), true)
  crd.status = cleanupStatus(crd, { step: 'deleting' }, new Date(LATER))
  assert.equal(condition(crd, 'Terminating')?.reason, 'InstanceDeletionInProgress')
  crd.status = cleanupStatus(crd, { step: 'done' }, new Date(LATER))
  assert.deepEqual(condition(crd, 'Terminating'), {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
    lastTransitionTime: LATER,
  })
})

test('defaultCrd: sets names, conversion and stored versions', () => {
  const crd = widgets()
  crd.spec.names = { plural: 'widgets', kind: 'Widget' }
  delete crd.spec.conversion
  defaultCrd(crd)
  assert.deepEqual(crd.spec.names, { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' })
  assert.deepEqual(crd.spec.conversion, { strategy: 'None' })
  crd.status = { storedVersions: ['bogus'], conditions: [] }
  prepareCrdCreate(crd)
  assert.deepEqual(crd.status, { storedVersions: ['v1'] })
  const next = structuredClone(crd)
  next.spec.versions = [
    { name: 'v2', served: true, storage: true },
    { name: 'v1', served: true, storage: false },
  ]
  prepareCrdUpdate(next, crd)
  assert.deepEqual(next.status?.storedVersions, ['v1', 'v2'])
  assert.deepEqual(crd.status?.storedVersions, ['v1'])
})
