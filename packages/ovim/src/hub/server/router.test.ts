import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handlerOf, Router } from './router.js'

const answer = async () => ({ status: 200 })
const router = new Router([
  { path: '/vms', methods: { GET: answer, POST: answer } },
  { path: '/vms/{id}', methods: { GET: answer } },
  { path: '/vms/{id}/power', methods: { PUT: answer } },
  { path: '/events/stream', methods: { GET: answer } },
  { path: '/events/{id}', methods: { GET: answer } },
])

test('Router: finds routes with and without variable parts', () => {
  assert.equal(router.find('/vms')?.route.path, '/vms')
  assert.deepEqual(router.find('/vms/acme.web')?.params, { id: 'acme.web' })
  assert.deepEqual(router.find('/vms/a%2Fb/power')?.params, { id: 'a/b' })
  assert.equal(router.find('/events/stream')?.route.path, '/events/stream')
  for (const path of ['/', '/vms/', '/vms//power', '/vms/a/b', '/vms/%zz', '/vms/a/power/x']) {
    assert.equal(router.find(path), undefined, path)
  }
})

test('handlerOf: names the methods that exist', () => {
  const route = router.find('/vms')?.route
  assert.ok(route)
  assert.equal(handlerOf(route, 'GET'), answer)
  for (const method of ['DELETE', 'constructor', '']) {
    assert.throws(() => handlerOf(route, method), /is not allowed here: use GET, POST/)
  }
})
