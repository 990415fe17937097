import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment, PodTemplateSpec, ReplicaSet } from '@orrery/kinds'
import { isSameTemplate, rolloutOf } from './rollout.js'

function templateOf(spec: object, labels: Record<string, string> = {}): PodTemplateSpec {
  return { metadata: { labels: { app: 'web', ...labels } }, spec } as unknown as PodTemplateSpec
}

test('isSameTemplate: ignores the hash label, the order of fields, and fields that are absent, null or empty', () => {
  const one = templateOf({ containers: [{ name: 'c', image: 'x' }] })
  assert.equal(isSameTemplate(templateOf(one.spec as object, { 'pod-template-hash': 'abc' }), one), true)
  assert.equal(isSameTemplate(templateOf({ containers: [{ image: 'x', name: 'c' }] }), one), true)
  assert.equal(isSameTemplate(templateOf({ volumes: [], nodeSelector: {}, ...one.spec, hostname: null }), one), true)
  assert.equal(isSameTemplate(templateOf({ ...one.spec, hostname: '' }), one), false)
  assert.equal(isSameTemplate(templateOf({ containers: [{ name: 'c', image: 'y' }] }), one), false)
  assert.equal(isSameTemplate(undefined, one), false)
})

test('rolloutOf: does not compare large templates again in each sync', () => {
  const env = Array.from({ length: 3_000 }, (_, i) => ({ name: `V${i}`, value: '' }))
  const sized = (last: string) =>
    templateOf({ containers: [{ name: 'c', env: [...env.map((one) => ({ ...one })), { name: 'Z', value: last }] }] })
  const sets = Array.from({ length: 60 }, (_, i) => ({
    metadata: { name: `s${i}`, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { template: sized(String(i)) },
  })) as unknown as ReplicaSet[]
  const deployment = { spec: { template: sized('59') } } as unknown as Deployment
  const started = process.cpuUsage().user
  for (let i = 0; i < 200; i++) assert.equal(rolloutOf(deployment, sets).current?.metadata.name, 's59')
  assert.ok(process.cpuUsage().user - started < 4_000_000)
})
