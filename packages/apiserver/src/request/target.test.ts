import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { parseTarget } from './target.js'

function about(method: string, url: string): string {
  const t = parseTarget(method, url)
  if (!t.isResource) return `${t.verb} ${t.path}`
  const parts = [t.verb, `${t.group}/${t.version}`, t.namespace || '-', t.resource, t.name || '-', t.subresource || '-']
  return parts.join(' ') + t.rest
}

test('parseTarget: parses resource paths like kube-apiserver', () => {
  const cases: [string, string, string][] = [
    ['GET', '/api/v1/namespaces', 'list /v1 - namespaces - -'],
    ['GET', '/api/v1/namespaces/x', 'get /v1 x namespaces x -'],
    ['PUT', '/api/v1/namespaces/x/finalize', 'update /v1 x namespaces x finalize'],
    ['GET', '/api/v1/namespaces/x/status', 'get /v1 x namespaces x status'],
    ['GET', '/api/v1/namespaces/x/pods', 'list /v1 x pods - -'],
    ['GET', '/api/v1/namespaces/x/pods/p/log?follow=1', 'get /v1 x pods p log'],
    ['GET', '/api/v1/namespaces/x/services/s/proxy/a/b', 'get /v1 x services s proxy/a/b'],
    ['GET', '/apis/apps/v1/deployments?watch=true', 'watch apps/v1 - deployments - -'],
    ['GET', '/apis/apps/v1/deployments?watch=false', 'list apps/v1 - deployments - -'],
    ['GET', '/api/v1/watch/namespaces/x/pods/p', 'watch /v1 x pods p -'],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', 'deletecollection apps/v1 x deployments - -'],
    ['POST', '/api/v1/namespaces/x/pods/p/eviction', 'create /v1 x pods p eviction'],
    ['PATCH', '/apis/a.b/v1/things/%C3%BC', 'patch a.b/v1 - things ü -'],
    ['DELETE', '/api/v1/namespaces/x/namespaces/y', 'delete /v1 x namespaces y -'],
    ['GET', '/api/v1/namespaces/x/namespaces/y/pods/p', 'get /v1 x namespaces y pods/p'],
    ['GET', '/api/v1/watch/namespaces/x', 'watch /v1 x namespaces x -'],
    ['POST', '/api/v1/proxy/namespaces/x/services/s/a/b', 'proxy /v1 x services s -/a/b'],
  ]
  for (const [method, url, expected] of cases) assert.equal(about(method, url), expected, url)
})

test('parseTarget: treats other requests as non-resource requests', () => {
  for (const path of [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/healthz',
    '//api/v1/pods',
    '/apis//v1/namespaces/x/pods',
    '/api//pods/p',
  ]) {
    assert.equal(about('GET', path), `get ${path}`)
  }
})

test('parseTarget: returns a 400 for invalid escapes', () => {
  for (const url of ['/api/v1/namespaces/%', '/api/v1/pods?labelSelector=%zz']) {
    assert.throws(
      () => parseTarget('GET', url),
      (error) => error instanceof StatusError && error.code === 400,
    )
  }
})

test('parseTarget: records whether a namespace precedes the resource', () => {
  const isBelow = (url: string) => parseTarget('GET', url).isBelowNamespace
  assert.ok(isBelow('/api/v1/namespaces/x/pods'))
  assert.ok(isBelow('/api/v1/namespaces/x/namespaces/x'))
  assert.ok(!isBelow('/api/v1/namespaces/x'))
  assert.ok(!isBelow('/api/v1/namespaces/x/status'))
  assert.ok(!isBelow('/api/v1/pods'))
})
