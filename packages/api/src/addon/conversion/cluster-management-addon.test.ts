import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import fc from 'fast-check'
import { ClusterManagementAddOn } from '../cluster-management-addon.js'
import { ClusterManagementAddOnV1Alpha1 } from '../cluster-management-addon-v1alpha1.js'
import { ADDON_GROUP, NO_DEFAULT_CONFIG } from '../names.js'
import { convertAddOn } from './convert.js'
import { addOnsOf, frozen, strangersOf } from './testing/addons.fixture.js'

const ALPHA = `${ADDON_GROUP}/v1alpha1`
const BETA = `${ADDON_GROUP}/v1beta1`
const kind = 'ClusterManagementAddOn'
const metadata = { name: 'helloworld' }
const deployment = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
const template = { group: ADDON_GROUP, resource: 'addontemplates' }

test('clusterManagementAddOnToV1Beta1: converts supportedConfigs to defaultConfigs', () => {
  const installStrategy = { type: 'Placements', placements: [{ namespace: 'default', name: 'all' }] }
  const addOnMeta = { displayName: 'Hello', description: 'Says hello.' }
  const desiredConfig = { namespace: 'default', name: 'usual', specHash: '1f3a' }
  const alpha = {
    apiVersion: ALPHA,
    kind,
    metadata,
    spec: {
      addOnMeta,
      installStrategy,
      supportedConfigs: [{ ...deployment, defaultConfig: { namespace: 'default', name: 'usual' } }, template],
    },
    status: {
      defaultconfigReferences: [{ ...deployment, desiredConfig }],
      installProgressions: [{ namespace: 'default', name: 'all', conditions: [] }],
    },
  }
  const beta = {
    apiVersion: BETA,
    kind,
    metadata,
    spec: {
      addOnMeta,
      installStrategy,
      defaultConfigs: [
        { ...deployment, namespace: 'default', name: 'usual' },
        { ...template, name: NO_DEFAULT_CONFIG },
      ],
    },
    status: {
      defaultConfigReferences: [{ ...deployment, desiredConfig }],
      installProgressions: [{ namespace: 'default', name: 'all', conditions: [] }],
    },
  }
  assert.deepEqual(convertAddOn(frozen(alpha), BETA), beta)
  assert.deepEqual(convertAddOn(frozen(beta), ALPHA), alpha)
})

test('conversion to v1beta1: drops the deprecated addOnConfiguration', () => {
  const alpha = { apiVersion: ALPHA, kind, metadata, spec: { addOnConfiguration: { crdName: 'a', crName: 'b' } } }
  assert.deepEqual(convertAddOn(alpha, BETA), { apiVersion: BETA, kind, metadata, spec: {} })
})

test('conversion to v1beta1: drops a default without a name', () => {
  const beta = { apiVersion: BETA, kind, metadata, spec: { defaultConfigs: [{ ...template, name: '' }] } }
  assert.deepEqual(convertAddOn(beta, ALPHA).spec, { supportedConfigs: [template] })
})

test('conversion: v1alpha1 round-trips through v1beta1, except the deprecated configuration', () => {
  fc.assert(
    fc.property(addOnsOf(ClusterManagementAddOnV1Alpha1), (alpha) => {
      const beta = convertAddOn(frozen(alpha), BETA)
      assert.deepEqual(ClusterManagementAddOn.validate(beta), [])
      const { addOnConfiguration: _, ...spec } = alpha.spec as JsonObject
      assert.deepEqual(convertAddOn(frozen(beta), ALPHA), { ...alpha, spec })
    }),
  )
})

test('conversion: v1beta1 round-trips through v1alpha1', () => {
  fc.assert(
    fc.property(addOnsOf(ClusterManagementAddOn), (beta) => {
      const alpha = convertAddOn(frozen(beta), ALPHA)
      assert.deepEqual(ClusterManagementAddOnV1Alpha1.validate(alpha), [])
      assert.deepEqual(convertAddOn(frozen(alpha), BETA), beta)
    }),
  )
})

test('conversion: converts objects that do not match the schema as far as possible', () => {
  const back = (object: KubeObject, over: string) => convertAddOn(convertAddOn(object, over), object.apiVersion)
  fc.assert(fc.property(strangersOf(ClusterManagementAddOn), (beta) => back(frozen(beta), ALPHA).kind === kind))
  fc.assert(
    fc.property(strangersOf(ClusterManagementAddOnV1Alpha1), (alpha) => back(frozen(alpha), BETA).kind === kind),
  )
})
