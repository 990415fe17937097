import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoredEntry } from './entry.js'

const OWNED = Buffer.from('{"metadata":{"ownerReferences":[{"name":"a"}]}}')

function entryOf(bytes: Buffer, mayHaveOwners?: boolean): StoredEntry {
  return new StoredEntry('configmaps', 'default', 'a', 1, bytes, mayHaveOwners)
}

test('StoredEntry: searches for owners unless the writer knows whether there are some', () => {
  assert.equal(entryOf(OWNED).mayHaveOwners, true)
  assert.equal(entryOf(Buffer.from('{"metadata":{}}')).mayHaveOwners, false)
  assert.equal(entryOf(OWNED, true).mayHaveOwners, true)
  assert.equal(entryOf(Buffer.from('{"data":{"a":"\\"ownerReferences\\""}}'), false).mayHaveOwners, false)
})
