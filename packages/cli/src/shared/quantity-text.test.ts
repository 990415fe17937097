import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesText, coresText } from './quantity-text.js'

test('coresText, bytesText: show quantities for people', () => {
  assert.deepEqual(['1500m', '64000m', 2, '0'].map(coresText), ['1.5', '64', '2', '0'])
  assert.deepEqual(['4294967296', '4Gi', '512', '256000000000', '1500Mi', 0].map(bytesText), [
    '4Gi',
    '4Gi',
    '512',
    '238.4Gi',
    '1.5Gi',
    '0',
  ])
  assert.deepEqual([coresText(undefined), bytesText(undefined)], [undefined, undefined])
})
