import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundleId } from '../../codec/ids.js'
import { MaestroError } from '../errors.js'
import { checkNewId } from './bundle-ids.js'

const work = { source: 'good', consumerName: 'c1', metadata: { name: 'db', namespace: 'c1' } }

test('checkNewId: a source creates bundles with its own derived ids, and with ids that are not derived', () => {
  checkNewId({ ...work, id: bundleId('good', 'c1', 'db') })
  checkNewId({ ...work, metadata: { name: 'db' }, id: bundleId('good', 'c1', 'db') })
  checkNewId({ ...work, id: '0b5dbd3a-98dc-4f0e-8f0b-8a3a2c4f3e51' })
  checkNewId({ ...work, id: 'b1' })
})

test('checkNewId: a source cannot take the derived id of another source, or of another of its works', () => {
  const forbidden = (error: unknown) => error instanceof MaestroError && error.kind === 'Forbidden'
  assert.throws(() => checkNewId({ ...work, source: 'evil', id: bundleId('good', 'c1', 'db') }), forbidden)
  assert.throws(() => checkNewId({ ...work, id: bundleId('good', 'c2', 'db') }), forbidden)
  assert.throws(() => checkNewId({ ...work, metadata: {}, id: bundleId('good', 'c1', 'db') }), forbidden)
})

test('checkNewId: an id has to be the name of a work', () => {
  for (const id of ['', '../x', 'a\0b', '__proto__', 'UPPER', 'x'.repeat(254), 'x'.repeat(1_000_000)]) {
    assert.throws(
      () => checkNewId({ ...work, id }),
      (error: Error) => error instanceof MaestroError && error.kind === 'Validation' && error.message.length < 400,
    )
  }
})
