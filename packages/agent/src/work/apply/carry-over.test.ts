import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { contentToHave, mergedContent } from './carry-over.js'

const object = (apiVersion: string, kind: string, content: object, metadata: object = {}) =>
  ({ apiVersion, kind, metadata: { name: 'x', ...metadata }, ...content }) as unknown as KubeObject & DynamicObject

test('the content of a manifest replaces what is there', () => {
  const has = object('v1', 'ConfigMap', { data: { a: '1', b: '2' } })
  assert.deepEqual(contentToHave(object('v1', 'ConfigMap', { data: { a: '3' } }), has), { data: { a: '3' } })
})

test('what OpenShift puts into a ConfigMap stays if the ConfigMap asks for it', () => {
  const has = object('v1', 'ConfigMap', { data: { 'ca-bundle.crt': 'CA', other: 'x' } })
  const labels = { 'config.openshift.io/inject-trusted-cabundle': 'true' }
  assert.deepEqual(contentToHave(object('v1', 'ConfigMap', {}, { labels }), has), { data: { 'ca-bundle.crt': 'CA' } })
})

test('a Secret is compared as the server keeps it, and tokens stay', () => {
  const encoded = Buffer.from('v').toString('base64')
  const wanted = object('v1', 'Secret', { stringData: { k: 'v' } })
  assert.deepEqual(contentToHave(wanted, object('v1', 'Secret', {})), { type: 'Opaque', data: { k: encoded } })
  const type = 'kubernetes.io/service-account-token'
  const token = contentToHave(object('v1', 'Secret', { type }), object('v1', 'Secret', { type, data: { token: 't' } }))
  assert.deepEqual(token, { type, data: { token: 't' } })
})

test('certificates that others put into webhooks and definitions stay', () => {
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

test('a manifest is put into what is there item by item, and never loses a removed one silently', () => {
  const has = { a: 1, list: [{ x: 1, y: 2 }], longer: [1, 2] }
  assert.deepEqual(mergedContent(has, { list: [{ x: 3 }], longer: [1] }, false), {
    a: 1,
    list: [{ x: 3, y: 2 }],
    longer: [1],
  })
  assert.deepEqual(mergedContent(has, { longer: [9] }, true), { a: 1, list: [{ x: 1, y: 2 }], longer: [9, 2] })
})
