import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoredEntry } from './entry.js'

function entry(name: string, labels: Record<string, string> | undefined): StoredEntry {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(labels && { labels }) } }
  return new StoredEntry('configmaps', 'default', name, 1, Buffer.from(JSON.stringify(object)))
}

test('sharedLabels: shares equal labels between objects and keeps no other parsed data alive', () => {
  const one = entry('one', { app: 'web', tier: 'front' })
  assert.deepEqual(one.labels(), { app: 'web', tier: 'front' })
  assert.equal(one.labels(), entry('two', { app: 'web', tier: 'front' }).labels())
  assert.notEqual(one.labels(), entry('three', { app: 'web', tier: 'back' }).labels())
  assert.equal(entry('four', undefined).labels(), entry('five', undefined).labels())
})

test('sharedLabels: keeps different labels apart', () => {
  const entries = Array.from({ length: 10_000 }, (_, index) => entry(`one-${index}`, { app: `one-${index}` }))
  for (const one of entries) assert.deepEqual(one.labels(), { app: one.name })
  for (const one of entries) assert.equal(one.labels().app, one.name)
})
