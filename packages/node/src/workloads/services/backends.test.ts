import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndpointSlice, Pod, Service } from '@orrery/kinds'
import { backendsOf, byPorts, isSelecting } from './backends.js'
import { planSlices } from './slices.js'
import { subsetsOf } from './subsets.js'

function serviceOf(ports: object[]): Service {
  return { metadata: { name: 's', namespace: 'default' }, spec: { selector: { a: 'b' }, ports } } as unknown as Service
}

function podOf(name: string, spec: object): Pod {
  const metadata = { name, namespace: 'default', labels: { a: 'b' } }
  return { metadata, spec, status: { podIPs: [{ ip: '192.0.2.1' }] } } as unknown as Pod
}

test('backendsOf: finds named ports by protocol in containers and sidecars, the first of a name', () => {
  const pod = podOf('p', {
    containers: [
      { ports: [{ containerPort: 9 }, { name: 'web', containerPort: 80 }] },
      { ports: [{ name: 'web', containerPort: 81 }] },
    ],
    initContainers: [
      { restartPolicy: 'Always', ports: [{ name: 'dns', protocol: 'UDP', containerPort: 53 }] },
      { ports: [{ name: 'init', containerPort: 1 }] },
    ],
  })
  const service = serviceOf([
    { name: 'a', port: 1, targetPort: 'web' },
    { name: 'b', port: 2, targetPort: 'dns', protocol: 'UDP' },
    { name: 'c', port: 3, targetPort: 'dns' },
    { name: 'd', port: 4, targetPort: 'init' },
    { name: 'e', port: 5 },
  ])
  const [backend] = backendsOf(service, [pod], 'IPv4')
  assert.deepEqual(
    backend?.ports.map(({ name, port }) => [name, port]),
    [
      ['a', 80],
      ['b', 53],
      ['e', 5],
    ],
  )
})

test('backendsOf: time grows with the ports of pods and service, not with their product', () => {
  const count = 9_000
  const ports = Array.from({ length: count }, (_, i) => ({ name: `p${i}`, port: i + 1, targetPort: `t${i}` }))
  const own = Array.from({ length: count }, (_, i) => ({ name: `t${i}`, containerPort: i + 1 }))
  const pods = Array.from({ length: 30 }, (_, i) => podOf(`p${i}`, { containers: [{ ports: own }] }))
  const started = process.cpuUsage().user
  assert.equal(backendsOf(serviceOf(ports), pods, 'IPv4')[29]?.ports.length, count)
  assert.ok(process.cpuUsage().user - started < 5_000_000)
})

test('backendsOf: compiles a selector once, and not for each pod', () => {
  const selector = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${(i * 7_919) % 40_000}`, 'v']))
  const service = { metadata: { name: 's', namespace: 'default' }, spec: { selector } } as unknown as Service
  const pods = Array.from({ length: 300 }, (_, i) => podOf(`p${i}`, { containers: [] }))
  const started = process.cpuUsage().user
  assert.deepEqual(backendsOf(service, pods, 'IPv4'), [])
  assert.equal(
    pods.every(() => isSelecting(service)),
    true,
  )
  assert.ok(process.cpuUsage().user - started < 3_000_000)
})

test('byPorts: a sync of a service resolves and compares only the ports of changed pods', () => {
  const count = 3_000
  const ports = Array.from({ length: count }, (_, i) => ({ name: `p${i}`, port: i + 1, targetPort: `t${i}` }))
  const service = serviceOf(ports)
  const pods = Array.from({ length: 100 }, (_, index) => {
    const own = ports.map(({ targetPort, port }) => ({ name: targetPort, containerPort: port }))
    return podOf(`p${index}`, { containers: [{ ports: [{ name: 't0', containerPort: 9_000 + index }, ...own] }] })
  })
  const groupsNow = () =>
    byPorts(backendsOf(service, pods, 'IPv4')).map(([backend]) => ({
      portsKey: backend.portsKey,
      ports: () => backend.ports,
      endpoints: [{ addresses: [backend.address] }],
    }))
  const head = {
    namespace: 'default',
    name: 's',
    addressType: 'IPv4',
    labels: {},
    owner: {},
    isKeptEmpty: true,
  } as never
  const { create } = planSlices(head, groupsNow(), [])
  assert.equal(create.length, 100)
  assert.equal(create[99]?.ports?.length, count)
  const started = process.cpuUsage().user
  for (let i = 0; i < 20; i++) {
    const again = planSlices(head, groupsNow(), create as EndpointSlice[])
    assert.deepEqual([again.create.length, again.update.length, again.remove.length], [0, 0, 0])
    assert.equal(subsetsOf(service, backendsOf(service, pods, 'IPv4')), undefined)
  }
  assert.ok(process.cpuUsage().user - started < 3_000_000)
})
