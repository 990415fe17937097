import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { testServer } from '../testing/test-server.fixture.js'
import { dropDuplicateOwners } from './owner-references.js'

/** Of an unserved kind, so that the garbage collector ignores its dependents. */
const owner = (name: string, uid: string) => ({ apiVersion: 'example.test/v1', kind: 'Owner', name, uid })

test('dropDuplicateOwners: keeps a duplicate owner once and warns', () => {
  const metadata = { ownerReferences: [owner('a', '1'), owner('b', '2'), owner('a', '1')] }
  const warnings: string[] = []
  dropDuplicateOwners(metadata, 'as sent', warnings)
  assert.deepEqual(metadata.ownerReferences, [owner('a', '1'), owner('b', '2')])
  assert.match(warnings.join(), /^\.metadata\.ownerReferences contains duplicate entries; .*observed: 1$/)
})

test('dropDuplicateOwners: keeps owners that share only their UID', () => {
  const metadata = { ownerReferences: [owner('a', '1'), owner('b', '1')] }
  const warnings: string[] = []
  dropDuplicateOwners(metadata, 'after admission', warnings)
  assert.equal(metadata.ownerReferences.length, 2)
  assert.deepEqual(warnings, [])
})

test('dropDuplicateOwners: takes linear time', () => {
  let reads = 0
  const counted = (name: string) => ({
    ...owner(name, '1'),
    get name() {
      reads++
      return name
    },
  })
  const metadata = { ownerReferences: Array.from({ length: 1000 }, (_, index) => counted(`o${index}`)) }
  dropDuplicateOwners(metadata, 'as sent', [])
  assert.equal(metadata.ownerReferences.length, 1000)
  assert.ok(reads <= 2000, `${reads} names were read`)
})

test('dropDuplicateOwners: runs on creates, updates and patches', async (t) => {
  const { client } = await testServer(t)
  const path = '/api/v1/namespaces/default/configmaps'
  const metadata = { name: 'a', ownerReferences: [owner('x', '1'), owner('x', '1')] }
  const headers = { 'content-type': 'application/json' }
  const made = await client.request({ method: 'POST', path, headers, body: JSON.stringify({ metadata }) })
  assert.equal(made.status, 201)
  assert.match(String(made.headers.warning), /duplicate UID\(s\) observed: 1"/)
  const patched = await client.request({
    method: 'PATCH',
    path: `${path}/a`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata }),
  })
  assert.match(String(patched.headers.warning), /after mutating admission happens/)
  const stored = await client.get<KubeObject>(`${path}/a`)
  assert.deepEqual(stored.metadata.ownerReferences, [owner('x', '1')])
})
