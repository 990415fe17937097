import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap, Container, Secret } from '@orrery/kinds'
import { podOf } from '../pod/testing.fixture.js'
import { type EnvironmentSources, environmentOf } from './environment.js'

const NOTHING = new Map<string, string>()

function sourcesOf(data: Record<string, string> = {}): EnvironmentSources {
  const metadata = { name: 'm', namespace: 'default', uid: 'u' }
  return {
    configMap: async () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }) as unknown as ConfigMap,
    secret: async () => ({ apiVersion: 'v1', kind: 'Secret', metadata, data }) as unknown as Secret,
    place: { hostIP: '127.0.0.1', podIP: '192.0.2.1' },
    allocatable: {},
  }
}

function variables(container: Partial<Container>, data?: Record<string, string>) {
  const whole = { name: 'main', ...container }
  return environmentOf(podOf({ containers: [whole] }), whole, NOTHING, sourcesOf(data))
}

test('environmentOf: refuses variables that repeat each other until they are too large', async () => {
  const env = [{ name: 'A0', value: 'x'.repeat(1_000) }]
  for (let i = 1; i <= 9; i++) env.push({ name: `A${i}`, value: `$(A${i - 1})`.repeat(10) })
  await assert.rejects(
    variables({ env }),
    /the variables or arguments of container "main" have more than 4194304 bytes/,
  )
})

test('environmentOf: refuses many copies of a large ConfigMap', async () => {
  const envFrom = Array.from({ length: 10_000 }, (_, i) => ({ prefix: `P${i}_`, configMapRef: { name: 'm' } }))
  await assert.rejects(variables({ envFrom }, { a: 'x'.repeat(100_000) }), /have more than 4194304 bytes/)
})

test('environmentOf: looks up keys of a ConfigMap and a Secret without going over all of them', async () => {
  const data = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 'eA==']))
  const env = Array.from({ length: 10_000 }, (_, i) => {
    const reference = { name: 'm', key: `k${i}` }
    const valueFrom = i % 2 === 0 ? { configMapKeyRef: reference } : { secretKeyRef: reference }
    return { name: `E${i}`, valueFrom }
  })
  const started = process.cpuUsage().user
  const found = await variables({ env }, data)
  assert.ok(process.cpuUsage().user - started < 5_000_000)
  assert.equal(found.get('E0'), 'eA==')
  assert.equal(found.get('E1'), 'x')
})

test('environmentOf: finds no key that every object has', async () => {
  const valueFrom = { configMapKeyRef: { name: 'm', key: 'constructor' } }
  await assert.rejects(variables({ env: [{ name: 'E', valueFrom }] }), /couldn't find key constructor in ConfigMap/)
})
