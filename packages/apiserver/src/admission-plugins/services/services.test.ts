import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { ServiceSpec } from '@orrery/kinds/core'
import { isInvalid } from '@orrery/kinds/values'
import { SERVICES } from '../../controllers/resources.js'
import { type InnerServer, startInnerServer } from '../../testing/inner-server.fixture.js'
import { ServiceNetwork } from './network.js'

const start = (t: test.TestContext) => startInnerServer(t, { namespaces: ['a'] })

const service = (name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'a', name },
  spec: { ports: [{ port: 80 }], selector: { app: name }, ...spec },
})

async function make(server: InnerServer, name: string, spec: object = {}): Promise<ServiceSpec> {
  return (await server.client.create(SERVICES, service(name, spec))).spec as ServiceSpec
}

const change = async (server: InnerServer, name: string, edit: (spec: ServiceSpec) => ServiceSpec) =>
  (await server.client.change(SERVICES, 'a', name, (live) => ({ ...live, spec: edit(live.spec as ServiceSpec) })))
    ?.spec as ServiceSpec

test('serviceAddresses: sets address and family but no node port', async (t) => {
  const server = await start(t)
  const spec = await make(server, 's')
  assert.match(spec.clusterIP ?? '', /^10\.96\.0\.\d+$/)
  assert.deepEqual(spec.clusterIPs, [spec.clusterIP])
  assert.deepEqual(spec.ipFamilies, ['IPv4'])
  assert.equal(spec.ipFamilyPolicy, 'SingleStack')
  assert.equal(spec.ports?.[0]?.nodePort, undefined)
})

test('serviceAddresses: allocates no address for headless and external services', async (t) => {
  const server = await start(t)
  const headless = await make(server, 'headless', { clusterIP: 'None' })
  assert.deepEqual([headless.clusterIP, headless.clusterIPs, headless.ipFamilies], ['None', ['None'], ['IPv4']])
  const bare = await make(server, 'bare', { clusterIP: 'None', selector: undefined })
  assert.deepEqual([bare.ipFamilyPolicy, bare.ipFamilies], ['RequireDualStack', ['IPv4', 'IPv6']])
  const external = await make(server, 'external', {
    type: 'ExternalName',
    externalName: 'example.com',
    ports: undefined,
  })
  assert.deepEqual([external.clusterIP, external.clusterIPs, external.ipFamilies], [undefined, undefined, undefined])
})

test('serviceAddresses: allocates an address once, and again after its service is deleted', async (t) => {
  const server = await start(t)
  const clusterIP = '10.96.0.50'
  assert.equal((await make(server, 'one', { clusterIP })).clusterIP, clusterIP)
  await assert.rejects(make(server, 'two', { clusterIP }), (error) => {
    assert.ok(isInvalid(error))
    assert.equal(
      error.message,
      'Service "two" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.50"]: failed to allocate IP 10.96.0.50: provided IP is already allocated',
    )
    return true
  })
  await assert.rejects(
    make(server, 'far', { clusterIP: '192.0.2.1' }),
    /the provided network does not match the current range/,
  )
  await server.client.delete(SERVICES, 'a', 'one')
  assert.equal((await make(server, 'two', { clusterIP })).clusterIP, clusterIP)
})

test('serviceAddresses: allocates different addresses for concurrent services', async (t) => {
  const server = await start(t)
  const specs = await Promise.all(Array.from({ length: 100 }, (_, i) => make(server, `s${i}`, { type: 'NodePort' })))
  assert.equal(new Set(specs.map(({ clusterIP }) => clusterIP)).size, 100)
  assert.equal(new Set(specs.map(({ ports }) => ports?.[0]?.nodePort)).size, 100)
})

test('serviceAddresses: releases the address of a failed write', async (t) => {
  const server = await start(t)
  const clusterIP = '10.96.0.60'
  await make(server, 'taken')
  await assert.rejects(make(server, 'taken', { clusterIP }), /already exists/)
  assert.equal((await make(server, 'other', { clusterIP })).clusterIP, clusterIP)
})

test('serviceAddresses: refuses a service if no address is left', async (t) => {
  const server = await start(t)
  await Promise.all(Array.from({ length: 254 }, (_, i) => make(server, `s${i}`)))
  await assert.rejects(make(server, 'late'), /failed to allocate a serviceIP for Service "late": range is full/)
})

test('serviceAddresses: allocates and releases node ports with the type', async (t) => {
  const server = await start(t)
  const before = await make(server, 's', { ports: [{ port: 80, nodePort: 30_080 }], type: 'NodePort' })
  await assert.rejects(
    make(server, 'other', { ports: [{ port: 80, nodePort: 30_080 }], type: 'NodePort' }),
    /spec\.ports\[0\]\.nodePort: Invalid value: 30080: provided port is already allocated/,
  )
  await assert.rejects(
    make(server, 'other', { ports: [{ port: 80, nodePort: 80 }], type: 'NodePort' }),
    /provided port is not in the valid range. The range of valid ports is 30000-32767/,
  )
  const after = await change(server, 's', (spec) => ({ ...spec, type: 'ClusterIP' }))
  assert.equal(after.ports?.[0]?.nodePort, undefined)
  assert.equal(after.clusterIP, before.clusterIP)
  await make(server, 'other', { ports: [{ port: 80, nodePort: 30_080 }], type: 'NodePort' })
})

test('serviceAddresses: keeps allocated values that an update omits', async (t) => {
  const server = await start(t)
  const before = await make(server, 's', { type: 'NodePort' })
  const after = await change(
    server,
    's',
    ({ clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ports = [], ...spec }) => ({
      ...spec,
      ports: ports.map(({ nodePort, ...port }) => ({ ...port, port: 81 })),
    }),
  )
  assert.equal(after.clusterIP, before.clusterIP)
  assert.equal(after.ports?.[0]?.nodePort, before.ports?.[0]?.nodePort)
})

test('serviceAddresses: shares a node port between both protocols of a port', async (t) => {
  const server = await start(t)
  const ports = [
    { name: 't', port: 53, protocol: 'TCP' },
    { name: 'u', port: 53, protocol: 'UDP' },
  ]
  const spec = await make(server, 's', { type: 'NodePort', ports })
  assert.equal(spec.ports?.[0]?.nodePort, spec.ports?.[1]?.nodePort)
})

test('serviceAddresses: releases the address of a service that becomes external', async (t) => {
  const server = await start(t)
  const { clusterIP } = await make(server, 's')
  const external = await change(
    server,
    's',
    (spec) => ({ ...spec, type: 'ExternalName', externalName: 'example.com' }) as ServiceSpec,
  )
  assert.equal(external.clusterIP, undefined)
  assert.equal((await make(server, 'other', { clusterIP })).clusterIP, clusterIP)
})

test('serviceAddresses: allocates a health check port for a load balancer with local traffic', async (t) => {
  const server = await start(t)
  const spec = await make(server, 's', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
  assert.ok((spec.healthCheckNodePort ?? 0) >= 30_000)
  const without = await make(server, 'n', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false })
  assert.equal(without.ports?.[0]?.nodePort, undefined)
})

test('serviceAddresses: refuses another family and dual stack in a single-stack cluster', async (t) => {
  const server = await start(t)
  await assert.rejects(
    make(server, 's', { ipFamilies: ['IPv6'] }),
    /spec\.ipFamilies\[0\]: Invalid value: "IPv6": not configured on this cluster/,
  )
  await assert.rejects(
    make(server, 's', { ipFamilyPolicy: 'RequireDualStack' }),
    /this cluster is not configured for dual-stack services/,
  )
})

test('ServiceNetwork: knows its addresses', () => {
  const v6 = new ServiceNetwork('fd00::/112')
  assert.equal(v6.first, 'fd00::1')
  assert.ok(v6.contains('fd00::ffff') && !v6.contains('fd00::') && !v6.contains('10.0.0.1'))
  const v4 = new ServiceNetwork('10.96.0.0/12')
  assert.equal(v4.first, '10.96.0.1')
  assert.ok(v4.contains('10.111.255.254') && !v4.contains('10.111.255.255') && !v4.contains('10.96.0.0'))
  assert.throws(() => new ServiceNetwork('10.96.0.0'), /is not a CIDR/)
})
