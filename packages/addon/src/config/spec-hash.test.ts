import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { configSpecHash } from './spec-hash.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('configSpecHash: hashes the JSON that Go writes, without metadata and status', () => {
  const spec = { customizedVariables: [{ value: 'a<b&c>d', name: 'X' }], agentInstallNamespace: 'ns' }
  const object = { apiVersion: 'v', kind: 'K', metadata: { name: 'n' }, status: { x: 1 }, spec }
  assert.equal(
    configSpecHash(object),
    sha256(
      '{"spec":{"agentInstallNamespace":"ns","customizedVariables":[{"name":"X","value":"a\\u003cb\\u0026c\\u003ed"}]}}',
    ),
  )
  assert.equal(configSpecHash({ ...object, metadata: {}, status: undefined }), configSpecHash(object))
  // The hash of an object without configuration in Open Cluster Management.
  assert.equal(configSpecHash({ kind: 'K' }), sha256('{}'))
})

test('configSpecHash: fields other than spec count, with their names', () => {
  const hashes = [{ data: { a: '1' } }, { binaryData: { a: '1' } }, { data: { a: '2' } }].map(configSpecHash)
  assert.equal(new Set(hashes).size, 3)
})
