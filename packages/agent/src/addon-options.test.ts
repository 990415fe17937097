import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeClient } from '@orrery/kube'
import { type AddonOptions, resolveAddonOptions } from './addon-options.js'

const spoke = new KubeClient({ request: () => Promise.reject(new Error('not connected')) })

test('resolveAddonOptions: has the defaults of Open Cluster Management', () => {
  assert.deepEqual(resolveAddonOptions({}, spoke), {
    kubeClientDriver: 'csr',
    tokenSeconds: 31_536_000,
    hosting: spoke,
  })
})

const bad: readonly [AddonOptions, RegExp][] = [
  [
    { kubeClientDriver: 'password' as never },
    /^RangeError: addons.kubeClientDriver "password" is not supported: use csr or token/,
  ],
  [{ tokenSeconds: 599 }, /^RangeError: addons.tokenSeconds must be an integer of at least 600/],
  [{ tokenSeconds: Number.NaN }, /addons.tokenSeconds/],
]
for (const [options, problem] of bad) {
  test(`resolveAddonOptions: rejects ${JSON.stringify(options)}`, () => {
    assert.throws(() => resolveAddonOptions(options, spoke), problem)
  })
}
