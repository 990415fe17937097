import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Volume } from '@orrery/kinds'
import { podOf } from '../pod/testing.fixture.js'
import { payloadBudget, payloadOf, type VolumeSources } from './payload.js'

const DATA = { large: 'x'.repeat(1_000_000), small: 'y' }
const pod = podOf({ containers: [{ name: 'main' }] })
const sources: VolumeSources = {
  object: async () => ({ metadata: { name: 'm' }, data: DATA, binaryData: { bytes: 'AAE=' } }) as never,
  token: async () => 't',
  place: { hostIP: '127.0.0.1', podIP: '192.0.2.1' },
  allocatable: {},
}

const filesOf = (volume: Omit<Volume, 'name'>) => payloadOf(pod, { name: 'v', ...volume }, sources, payloadBudget(pod))

test('payloadOf: shows all keys of a ConfigMap, or those that are named', async () => {
  const all = await filesOf({ configMap: { name: 'm' } })
  assert.deepEqual([...(all?.keys() ?? [])], ['large', 'small', 'bytes'])
  assert.deepEqual(all?.get('bytes')?.bytes, Buffer.from([0, 1]))
  const some = await filesOf({ configMap: { name: 'm', items: [{ key: 'small', path: 'a/b', mode: 0o400 }] } })
  assert.deepEqual([...(some ?? [])], [['a/b', { bytes: Buffer.from('y'), mode: 0o400 }]])
  await assert.rejects(
    filesOf({ configMap: { name: 'm', items: [{ key: 'constructor', path: 'c' }] } }),
    /references non-existent config key: constructor/,
  )
})

test('payloadOf: refuses a volume that shows a large ConfigMap many times', async () => {
  const configMap = (i: number) => ({ name: 'm', items: [{ key: 'large', path: `p${i}` }] })
  const projected = { sources: Array.from({ length: 20_000 }, (_, i) => ({ configMap: configMap(i) })) }
  await assert.rejects(filesOf({ projected }), /project more than 67108864 bytes of API objects/)
})
