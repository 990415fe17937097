import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kube'
import { parseTarget } from './target.js'

function about(method: string, url: string): string {
  const t = parseTarget(method, url)
  if (!t.isResource) return `${t.verb} ${t.path}`
  const parts = [t.verb, `${t.group}/${t.version}`, t.namespace || '-', t.resource, t.name || '-', t.subresource || '-']
  return parts.join(' ') + t.rest
}

test('resource paths are read as kube-apiserver reads them', () => {
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
  ]
  for (const [method, url, expected] of cases) assert.equal(about(method, url), expected, url)
})

test('everything else is known by its path', () => {
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
  ]) {
    assert.equal(about('GET', path), `get ${path}`)
  }
})

test('broken escapes are a bad request', () => {
  for (const url of ['/api/v1/namespaces/%', '/api/v1/pods?labelSelector=%zz']) {
    assert.throws(
      () => parseTarget('GET', url),
      (error) => error instanceof StatusError && error.code === 400,
    )
  }
})
