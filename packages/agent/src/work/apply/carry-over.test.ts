import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { contentToHave, mergedContent } from './carry-over.js'

const object = (apiVersion: string, kind: string, content: object, metadata: object = {}) =>
  ({ apiVersion, kind, metadata: { name: 'x', ...metadata }, ...content }) as unknown as KubeObject & DynamicObject

test("contentToHave: replaces the content with the manifest's", () => {
  const has = object('v1', 'ConfigMap', { data: { a: '1', b: '2' } })
  assert.deepEqual(contentToHave(object('v1', 'ConfigMap', { data: { a: '3' } }), has), { data: { a: '3' } })
})

test('contentToHave: keeps what OpenShift injects into a ConfigMap that requests it', () => {
  const has = object('v1', 'ConfigMap', { data: { 'ca-bundle.crt': 'CA', other: 'x' } })
  const labels = { 'config.openshift.io/inject-trusted-cabundle': 'true' }
  assert.deepEqual(contentToHave(object('v1', 'ConfigMap', {}, { labels }), has), { data: { 'ca-bundle.crt': 'CA' } })
})

test('contentToHave: compares a Secret in its stored form, and keeps tokens', () => {
  const encoded = Buffer.from('v').toString('base64')
  const wanted = object('v1', 'Secret', { stringData: { k: 'v' } })
  assert.deepEqual(contentToHave(wanted, object('v1', 'Secret', {})), { type: 'Opaque', data: { k: encoded } })
  const type = 'kubernetes.io/service-account-token'
  const token = contentToHave(object('v1', 'Secret', { type }), object('v1', 'Secret', { type, data: { token: 't' } }))
  assert.deepEqual(token, { type, data: { token: 't' } })
})

test('contentToHave: keeps CA bundles that others inject into webhooks and CRDs', () => {
  const kind = 'ValidatingWebhookConfiguration'
  const has = object('admissionregistration.k8s.io/v1', kind, {
    webhooks: [{ name: 'b' }, { name: 'a', clientConfig: { caBundle: 'CA', url: 'old' } }],
  })
  const wants = object('admissionregistration.k8s.io/v1', kind, {
    webhooks: [{ name: 'a', clientConfig: { url: 'new' } }],
  })
  assert.deepEqual(contentToHave(wants, has), {
    webhooks: [{ name: 'a', clientConfig: { caBundle: 'CA', url: 'new' } }],
  })
  const crd = (conversion: object) =>
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: { conversion: { webhook: { clientConfig: conversion } } },
    })
  assert.deepEqual(contentToHave(crd({ url: 'u' }), crd({ caBundle: 'CA' })).spec, {
    conversion: { webhook: { clientConfig: { url: 'u', caBundle: 'CA' } } },
  })
})

test('mergedContent: merges item by item, and never drops a removed item silently', () => {
  const has = { a: 1, list: [{ x: 1, y: 2 }], longer: [1, 2] }
  assert.deepEqual(mergedContent(has, { list: [{ x: 3 }], longer: [1] }, false), {
    a: 1,
    list: [{ x: 3, y: 2 }],
    longer: [1],
  })
  assert.deepEqual(mergedContent(has, { longer: [9] }, true), { a: 1, list: [{ x: 1, y: 2 }], longer: [9, 2] })
})
