import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { OwnSecrets } from '../own-secrets.js'
import { ReadCheck } from './reading.js'

const executor = {
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'robot' } },
} as const
const work = { metadata: { namespace: 'c1', name: 'w', uid: 'u' }, spec: { executor } } as ManifestWork

test('ReadCheck: has a few access reviews in progress, however many objects a work has', async () => {
  let running = 0
  let most = 0
  let all = 0
  const create = async () => {
    all++
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return { status: { allowed: true } }
  }
  const check = new ReadCheck({ create } as unknown as KubeClient, new FakeClock(), new OwnSecrets('agent'))
  const targets = Array.from({ length: 1_000 }, (_, i) => ({
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'configmaps',
    namespace: 'default',
    name: `m${i}`,
    state: undefined,
  }))
  const reading = await check.of(work, targets, new AbortController().signal)
  assert.equal(all, 1_000)
  assert.ok(most <= 32, `${most} at a time`)
  assert.equal(reading.answer(targets[999]!)?.refusal, undefined)
  assert.equal(reading.isRefused, false)
})
