import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceQuota } from '@orrery/kinds'
import type { InstanceSpec } from '../kinds/instance-spec.js'
import { specOf } from '../testing.fixture.js'
import { computeResources, vcpusOf } from './resources.js'

const domainOf = (domain: Partial<InstanceSpec['domain']>): InstanceSpec =>
  specOf({ domain: { ...specOf().domain, ...domain } })
const quota = (hard: Record<string, string>) => [{ spec: { hard } } as unknown as ResourceQuota]

test('vcpusOf: multiplies sockets, cores and threads', () => {
  assert.equal(vcpusOf(specOf()), 1)
  assert.equal(vcpusOf(domainOf({ cpu: { sockets: 2, cores: 3, threads: 2 } })), 12)
})

test('computeResources: requests a tenth of a CPU for each vCPU, and the memory with its overhead', () => {
  // 240 MiB for the launcher, 8 MiB for a vCPU, 8 MiB, 32 MiB for the display, and a 512th of the memory.
  assert.deepEqual(computeResources(specOf(), []), { requests: { cpu: '100m', memory: '1314Mi' } })
  const { devices } = specOf().domain
  const headless = domainOf({ devices: { ...devices, autoattachGraphicsDevice: false }, cpu: { cores: 4 } })
  assert.deepEqual(computeResources(headless, []), { requests: { cpu: '400m', memory: '1306Mi' } })
})

test('computeResources: takes requests and limits of the guest', () => {
  const resources = { requests: { cpu: '2', memory: '2Gi' }, limits: { cpu: '4', memory: '3Gi' } }
  assert.deepEqual(computeResources(domainOf({ resources }), []), {
    requests: { cpu: '2', memory: '2338Mi' },
    limits: { cpu: '4', memory: '3362Mi' },
  })
  const overcommitted = { requests: { memory: '1Gi' }, overcommitGuestOverhead: true }
  assert.equal(computeResources(domainOf({ resources: overcommitted }), []).requests?.memory, '1024Mi')
})

test('computeResources: sets limits if a quota of the namespace requires them', () => {
  const limits = (hard: Record<string, string>) => computeResources(specOf(), quota(hard)).limits
  assert.equal(limits({ 'requests.cpu': '4' }), undefined)
  assert.deepEqual(limits({ 'limits.cpu': '4' }), { cpu: '1' })
  assert.deepEqual(limits({ 'limits.cpu': '4', 'limits.memory': '8Gi' }), { cpu: '1', memory: '2628Mi' })
})
