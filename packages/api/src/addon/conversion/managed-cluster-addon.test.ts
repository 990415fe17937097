import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import fc from 'fast-check'
import { KUBE_CLIENT_SIGNER } from '../../cluster/registration.js'
import { ManagedClusterAddOn } from '../managed-cluster-addon.js'
import { ManagedClusterAddOnV1Alpha1 } from '../managed-cluster-addon-v1alpha1.js'
import { ADDON_GROUP, INSTALL_NAMESPACE_ANNOTATION } from '../names.js'
import { convertAddOn } from './convert.js'
import { addOnsOf, frozen, strangersOf } from './testing/addons.fixture.js'

const ALPHA = `${ADDON_GROUP}/v1alpha1`
const BETA = `${ADDON_GROUP}/v1beta1`
const kind = 'ManagedClusterAddOn'
const metadata = { name: 'helloworld', namespace: 'cluster1' }
const alphaOf = (fields: object): KubeObject => ({ apiVersion: ALPHA, kind, metadata, spec: {}, ...fields })
const betaOf = (fields: object): KubeObject => ({ apiVersion: BETA, kind, metadata, spec: {}, ...fields })
const annotated = (annotations: object) => ({ metadata: { ...metadata, annotations } })

function assertBothWays(alpha: KubeObject, beta: KubeObject): void {
  assert.deepEqual(convertAddOn(frozen(alpha), BETA), beta)
  assert.deepEqual(convertAddOn(frozen(beta), ALPHA), alpha)
}

test('managedClusterAddOnToV1Beta1: keeps installNamespace in an annotation', () => {
  assertBothWays(
    alphaOf({ spec: { installNamespace: 'hello' } }),
    betaOf(annotated({ [INSTALL_NAMESPACE_ANNOTATION]: 'hello' })),
  )
  assertBothWays(
    alphaOf({ ...annotated({ mine: 'too' }), spec: { installNamespace: 'hello', configs: [] } }),
    betaOf({ ...annotated({ mine: 'too', [INSTALL_NAMESPACE_ANNOTATION]: 'hello' }), spec: { configs: [] } }),
  )
})

test('managedClusterAddOnToV1Beta1: installNamespace takes precedence over the annotation', () => {
  const alpha = alphaOf({
    ...annotated({ [INSTALL_NAMESPACE_ANNOTATION]: 'other' }),
    spec: { installNamespace: 'one' },
  })
  assert.deepEqual(convertAddOn(alpha, BETA), betaOf(annotated({ [INSTALL_NAMESPACE_ANNOTATION]: 'one' })))
})

for (const value of ['', '../etc', 'Upper', 'a'.repeat(64), 'trailing-']) {
  test(`managedClusterAddOnToV1Alpha1: keeps an annotation with the invalid namespace ${JSON.stringify(value.slice(0, 12))}`, () => {
    const fields = annotated({ [INSTALL_NAMESPACE_ANNOTATION]: value })
    assert.deepEqual(convertAddOn(betaOf(fields), ALPHA), alphaOf(fields))
  })
}

test('managedClusterAddOnToV1Beta1: converts certificates of the API server to kubeClient with the driver', () => {
  const subject = { user: 'agent', groups: ['addon', 'cluster'] }
  const custom = { user: 'agent', groups: ['addon'] }
  assertBothWays(
    alphaOf({
      status: {
        registrations: [
          { signerName: KUBE_CLIENT_SIGNER, subject },
          { signerName: 'example.com/signer', subject: { ...custom, organizationUnit: ['unit'] } },
        ],
        kubeClientDriver: 'token',
      },
    }),
    betaOf({
      status: {
        registrations: [
          { type: 'kubeClient', kubeClient: { subject, driver: 'token' } },
          {
            type: 'customSigner',
            customSigner: { signerName: 'example.com/signer', subject: { ...custom, organizationUnits: ['unit'] } },
          },
        ],
      },
    }),
  )
})

test('conversion: round-trips a custom signer without a name', () => {
  assertBothWays(
    alphaOf({ status: { registrations: [{ signerName: '' }] } }),
    betaOf({ status: { registrations: [{ type: 'customSigner' }] } }),
  )
})

test('managedClusterAddOnToV1Beta1: drops organizational units of kubeClient', () => {
  const subject = { user: 'agent', organizationUnit: ['unit'] }
  const beta = convertAddOn(alphaOf({ status: { registrations: [{ signerName: KUBE_CLIENT_SIGNER, subject }] } }), BETA)
  const registrations = [{ type: 'kubeClient', kubeClient: { subject: { user: 'agent' } } }]
  assert.deepEqual(beta, betaOf({ status: { registrations } }))
})

test('managedClusterAddOnToV1Alpha1: sets the name of the desired configuration', () => {
  const type = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
  const desiredConfig = { namespace: 'default', name: 'usual', specHash: '1f3a' }
  const more = { lastObservedGeneration: 3, desiredConfig, lastAppliedConfig: { name: 'old' } }
  assertBothWays(
    alphaOf({ status: { configReferences: [{ ...type, namespace: 'default', name: 'usual', ...more }] } }),
    betaOf({ status: { configReferences: [{ ...type, ...more }] } }),
  )
  assertBothWays(
    alphaOf({ status: { configReferences: [{ ...type, name: '' }] } }),
    betaOf({ status: { configReferences: [type] } }),
  )
})

test('conversion to v1beta1: drops the deprecated addOnConfiguration', () => {
  const alpha = alphaOf({ status: { addOnConfiguration: { crdName: 'a' }, namespace: 'hello' } })
  assert.deepEqual(convertAddOn(alpha, BETA), betaOf({ status: { namespace: 'hello' } }))
})

/** What v1beta1 has no room for, taken off an object of v1alpha1. */
function alphaThatFits(alpha: KubeObject): KubeObject {
  if (!isObject(alpha.status)) return alpha
  const { addOnConfiguration: _, kubeClientDriver, ...status } = structuredClone(alpha.status)
  const registrations = (status.registrations ?? []) as JsonObject[]
  const clients = registrations.filter(({ signerName }) => signerName === KUBE_CLIENT_SIGNER)
  for (const { subject } of clients) if (isObject(subject)) delete subject.organizationUnit
  for (const reference of (status.configReferences ?? []) as JsonObject[]) {
    const { namespace, name = '' } = (reference.desiredConfig ?? {}) as JsonObject
    delete reference.namespace
    Object.assign(reference, { name }, namespace === undefined ? {} : { namespace })
  }
  if (clients.length > 0 && kubeClientDriver !== undefined) status.kubeClientDriver = kubeClientDriver
  return { ...alpha, status }
}

/** What v1alpha1 has no room for, taken off an object of v1beta1. */
function betaThatFits(beta: KubeObject): KubeObject {
  if (!isObject(beta.status) || beta.status.registrations === undefined) return beta
  const registrations = beta.status.registrations as JsonObject[]
  const first = registrations.find(({ type, kubeClient }) => type === 'kubeClient' && kubeClient !== undefined)
  const { driver } = (first?.kubeClient ?? {}) as JsonObject
  const fitting = registrations.map(({ type, kubeClient, customSigner }): JsonObject => {
    if (type === 'customSigner') return { type, ...(customSigner !== undefined && { customSigner }) }
    const { driver: _, ...client } = (kubeClient ?? {}) as JsonObject
    return { type: 'kubeClient', kubeClient: { ...client, ...(driver !== undefined && { driver }) } }
  })
  return { ...beta, status: { ...beta.status, registrations: fitting } }
}

test('conversion: v1alpha1 round-trips through v1beta1, except lost fields', () => {
  fc.assert(
    fc.property(addOnsOf(ManagedClusterAddOnV1Alpha1, { signerName: [KUBE_CLIENT_SIGNER] }), (alpha) => {
      const beta = convertAddOn(frozen(alpha), BETA)
      assert.deepEqual(ManagedClusterAddOn.validate(beta), [])
      assert.deepEqual(convertAddOn(frozen(beta), ALPHA), alphaThatFits(alpha))
    }),
  )
})

test('conversion: v1beta1 round-trips through v1alpha1, except lost fields', () => {
  fc.assert(
    fc.property(addOnsOf(ManagedClusterAddOn), (beta) => {
      const alpha = convertAddOn(frozen(beta), ALPHA)
      assert.deepEqual(convertAddOn(frozen(alpha), BETA), betaThatFits(beta))
    }),
  )
})

test('conversion: converts objects that do not match the schema as far as possible', () => {
  const back = (object: KubeObject, over: string) => convertAddOn(convertAddOn(object, over), object.apiVersion)
  fc.assert(fc.property(strangersOf(ManagedClusterAddOn), (beta) => back(frozen(beta), ALPHA).kind === kind))
  fc.assert(fc.property(strangersOf(ManagedClusterAddOnV1Alpha1), (alpha) => back(frozen(alpha), BETA).kind === kind))
})
