import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { parse, stringify } from 'yaml'
import { Client } from '../support/client.js'
import { startServer } from '../support/server.js'
import { startProgram } from './programs.js'

const TIMEOUT_MS = 60_000
const PODS = '/api/v1/namespaces/default/pods'
const DEVICES = '/apis/resource.k8s.io/v1'

interface Pod {
  readonly metadata: { readonly uid: string }
  readonly spec: { readonly nodeName?: string }
  readonly status: { readonly conditions?: readonly { type: string; status: string; reason?: string }[] }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

/** The status of a health endpoint; undefined if nothing answers. */
function health(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once('error', () => resolve(undefined))
      .end()
  })
}

const pod = (name: string, more: object = {}, resources: object = { requests: { cpu: '1' } }) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...more },
})

test('kube-scheduler', async (t) => {
  const server = await startServer(t)
  const client = new Client(server)
  t.after(() => client.close())
  // It has only the permissions of its default role.
  const config = parse(await readFile(server.kubeconfig, 'utf8'))
  config.users[0].user.as = 'system:kube-scheduler'
  const kubeconfig = join(server.dataDirectory, 'scheduler.kubeconfig')
  await writeFile(kubeconfig, stringify(config))
  const port = await freePort()
  const program = startProgram(
    t,
    'kube-scheduler',
    [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--authentication-skip-lookup=true',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${server.dataDirectory}`,
    ],
    { HOME: server.dataDirectory },
  )
  const until = async <T>(what: string, look: () => Promise<T>): Promise<Exclude<T, false | undefined>> => {
    try {
      return await eventually(what, look, { timeoutMilliseconds: TIMEOUT_MS })
    } catch {
      return assert.fail(`${what}: not within ${TIMEOUT_MS} ms\n${program.output()}`)
    }
  }
  const podOf = async (name: string) => (await client.ok('GET', `${PODS}/${name}`)) as unknown as Pod
  const scheduled = (name: string) =>
    until(`pod ${name} is scheduled`, async () => {
      const found = await podOf(name)
      return found.spec.nodeName === undefined ? undefined : found
    })

  await t.test('becomes ready and leads', async () => {
    await until('it is ready', async () => (await health(port, '/readyz')) === 200)
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler'
    await until('it has its lease', async () => (await client.send('GET', path)).status === 200)
  })

  await t.test('schedules a pod on a node', async () => {
    const { object: node } = await client.send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })
    const amounts = { cpu: '2', memory: '4Gi', pods: '10' }
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }]
    const status = { capacity: amounts, allocatable: amounts, conditions }
    await client.ok('PUT', '/api/v1/nodes/n1/status', { ...node, status })
    // The server taints new nodes until they are ready; nothing here removes the taint.
    await client.ok('PATCH merge', '/api/v1/nodes/n1', { spec: { taints: null } })
    await client.ok('POST', PODS, pod('fits'))
    const { spec, status: seen } = await scheduled('fits')
    assert.equal(spec.nodeName, 'n1')
    assert.ok(seen.conditions?.some(({ type, status: value }) => type === 'PodScheduled' && value === 'True'))
    const events = '/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reason=Scheduled'
    await until('an event reports it', async () => {
      const { items } = (await client.ok('GET', events)) as unknown as { items: unknown[] }
      return items.length > 0
    })
  })

  await t.test('reports why a pod does not fit', async () => {
    await client.ok('POST', PODS, pod('large', {}, { requests: { cpu: '8' } }))
    await until('the pod has the condition', async () => {
      const { status } = await podOf('large')
      const found = status.conditions?.find(({ type }) => type === 'PodScheduled')
      return found?.status === 'False' && found.reason === 'Unschedulable'
    })
  })

  await t.test('allocates devices', async () => {
    const expression = 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a"'
    await client.ok('POST', `${DEVICES}/deviceclasses`, {
      metadata: { name: 'gpu' },
      spec: { selectors: [{ cel: { expression } }] },
    })
    await client.ok('POST', `${DEVICES}/resourceslices`, {
      metadata: { name: 'n1-gpu' },
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'n1',
        pool: { name: 'n1', generation: 1, resourceSliceCount: 1 },
        devices: [
          { name: 'gpu-0', attributes: { model: { string: 'b' } } },
          { name: 'gpu-1', attributes: { model: { string: 'a' } } },
        ],
      },
    })
    const claims = `${DEVICES}/namespaces/default/resourceclaims`
    const requests = [{ name: 'one', exactly: { deviceClassName: 'gpu' } }]
    await client.ok('POST', claims, { metadata: { name: 'gpu' }, spec: { devices: { requests } } })
    const wanting = pod(
      'devices',
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
      { claims: [{ name: 'gpu' }] },
    )
    await client.ok('POST', PODS, wanting)
    const { metadata } = await scheduled('devices')
    const { status } = (await client.ok('GET', `${claims}/gpu`)) as unknown as {
      status: { allocation: { devices: { results: { device: string }[] } }; reservedFor: { uid: string }[] }
    }
    assert.deepEqual(
      status.allocation.devices.results.map(({ device }) => device),
      ['gpu-1'],
    )
    assert.deepEqual(
      status.reservedFor.map(({ uid }) => uid),
      [metadata.uid],
    )
  })
})
