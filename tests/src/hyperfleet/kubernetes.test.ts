// Runs in a process of its own: it starts an API server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { kubeObjects, runAdapter } from '@orrery/hyperfleet'
import { ClusterRole, ConfigMap, Namespace } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'

const TASK = `
params:
  - { name: clusterId, source: event.id, required: true }
  - { name: generation, source: event.generation, type: int, required: true }
  - { name: cluster, source: { api_call: { method: GET, url: "/clusters/{{ .clusterId }}" } } }
  - { name: isDeleting, source: { expression: "cluster.?deleted_time.hasValue()" } }
resources:
  - name: settings
    transport: { client: kubernetes }
    discovery: { by_name: "{{ .clusterId }}", namespace: clusters }
    lifecycle: { delete: { when: { expression: isDeleting } } }
    manifest: |
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: "{{ .clusterId }}"
        namespace: clusters
        annotations: { hyperfleet.io/generation: "{{ .generation }}" }
        finalizers: [example.com/backup]
      data:
        generation: "{{ .generation }}"
        {{ if eq .generation 1 }}first: "yes"{{ end }}
  - name: fixed
    recreate_on_change: true
    discovery: { by_name: fixed, namespace: "*" }
    lifecycle: { delete: { when: { expression: isDeleting } } }
    manifest:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: fixed
        namespace: clusters
        annotations: { hyperfleet.io/generation: "{{ .generation }}" }
      immutable: true
      data: { generation: "{{ .generation }}" }
  - name: role
    discovery: { by_selectors: { label_selector: { cluster: "{{ .clusterId }}" } } }
    lifecycle: { delete: { when: { expression: "isDeleting && !resources.?settings.hasValue()" } } }
    manifest:
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata:
        name: "cluster-{{ .clusterId }}"
        labels: { cluster: "{{ .clusterId }}" }
        annotations: { hyperfleet.io/generation: "{{ .generation }}" }
      rules: []
post:
  payloads:
    - name: status
      build:
        found: { expression: "resources.map(name, name)" }
        settings: { expression: "resources.settings.data", default: none }
  post_actions:
    - name: report
      api_call: { method: PUT, url: "/clusters/{{ .clusterId }}/statuses", body: "{{ .status }}" }
`

/** A HyperFleet API with one cluster. */
async function startApi(t: TestContext) {
  const cluster: { id: string; deleted_time?: string } = { id: 'abc123' }
  const reports: { found: string[]; settings: unknown }[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') reports.push(JSON.parse(await text(request)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(cluster))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cluster, reports }
}

/** An adapter for tasks on a new Kubernetes API, with a namespace for its objects. */
async function startWorld(t: TestContext, task: string) {
  const { kubeconfig } = await startServer(t)
  const client = await clientFrom(kubeconfig)
  afterwards(t, () => client.close())
  await client.create(Namespace, { metadata: { name: 'clusters' } })
  const { url, cluster, reports } = await startApi(t)
  const directory = await temporaryDirectory(t)
  const file = async (name: string, content: string) => {
    await writeFile(join(directory, name), content)
    return join(directory, name)
  }
  const environment = {
    HYPERFLEET_ADAPTER_CONFIG: await file(
      'config.yaml',
      `{ adapter: { name: settings }, clients: { hyperfleet_api: { base_url: "${url}" } } }`,
    ),
    HYPERFLEET_TASK_CONFIG: await file('task.yaml', task),
    HYPERFLEET_KUBERNETES_KUBE_CONFIG_PATH: kubeconfig,
  }
  /** Handles an event and returns what was done with each resource. */
  const run = async (generation: number): Promise<string[]> => {
    const event = { specversion: '1.0', id: 'e', type: 't', source: 's', data: { id: 'abc123', generation } }
    const eventFile = await file('event.json', JSON.stringify(event))
    let [out, errors] = ['', '']
    const code = await runAdapter(['run', '--event', eventFile], {
      write: (part) => {
        out += part
      },
      writeError: (part) => {
        errors += part
      },
      environment,
      signal: new AbortController().signal,
    })
    assert.equal(code, 0, out + errors)
    const { resources } = JSON.parse(out) as { resources: { name: string; operation: string; reason: string }[] }
    return resources.map(({ name, operation }) => `${name} ${operation}`)
  }
  return { client, cluster, reports, run }
}

test('adapter: creates, updates, recreates and deletes objects of a Kubernetes API, without Maestro', async (t) => {
  const { client, cluster, reports, run } = await startWorld(t, TASK)
  const settings = { name: 'abc123', namespace: 'clusters' }
  const fixed = { name: 'fixed', namespace: 'clusters' }

  assert.deepEqual(await run(1), ['settings create', 'fixed create', 'role create'])
  assert.deepEqual(reports.at(-1)?.settings, { generation: '1', first: 'yes' })
  assert.deepEqual(reports.at(-1)?.found.toSorted(), ['fixed', 'role', 'settings'])
  const before = await client.get(ConfigMap, fixed)

  assert.deepEqual(await run(1), ['settings skip', 'fixed skip', 'role skip'])
  assert.equal((await client.get(ConfigMap, fixed)).metadata.resourceVersion, before.metadata.resourceVersion)

  assert.deepEqual(await run(2), ['settings update', 'fixed recreate', 'role update'])
  assert.deepEqual((await client.get(ConfigMap, settings)).data, { generation: '2' }, 'without the key of generation 1')
  const recreated = await client.get(ConfigMap, fixed)
  assert.notEqual(recreated.metadata.uid, before.metadata.uid)
  assert.deepEqual(recreated.data, { generation: '2' })

  cluster.deleted_time = '2030-01-01T00:00:00Z'
  assert.deepEqual(await run(3), ['settings delete', 'fixed delete', 'role update'])
  assert.deepEqual(reports.at(-1)?.found.toSorted(), ['role', 'settings'], 'the finalizer keeps settings')
  assert.equal(await client.find(ConfigMap, fixed), undefined)

  await client.patch(ConfigMap, settings, { metadata: { finalizers: null } })
  assert.deepEqual(await run(3), ['settings delete', 'fixed delete', 'role delete'])
  assert.deepEqual(reports.at(-1), { found: [], settings: 'none' })
  assert.equal(await client.find(ClusterRole, { name: 'cluster-abc123' }), undefined)
})

test('docs/adapters.md: the resource without Maestro is created and deleted', async (t) => {
  const page = await readFile(new URL('../../../docs/adapters.md', import.meta.url), 'utf8')
  const [, resources = ''] = /^```yaml\n(resources:\n.*?)^```$/ms.exec(page) ?? []
  const params = TASK.slice(0, TASK.indexOf('resources:'))
  const { client, cluster, run } = await startWorld(
    t,
    `${params}  - { name: region, default: eu-west-1 }\n${resources}`,
  )
  assert.deepEqual(await run(1), ['settings create'])
  const settings = { name: 'abc123', namespace: 'clusters' }
  assert.deepEqual((await client.get(ConfigMap, settings)).data, { region: 'eu-west-1' })
  cluster.deleted_time = '2030-01-01T00:00:00Z'
  assert.deepEqual(await run(2), ['settings delete'])
  await eventually('it is deleted', async () => (await client.find(ConfigMap, settings)) === undefined)
})

test('kubeObjects: names a missing namespace and an unknown kind, and deletes only the object that it was given', async (t) => {
  const { kubeconfig } = await startServer(t)
  const client = await clientFrom(kubeconfig, { fieldManager: 'test' })
  afterwards(t, () => client.close())
  const objects = kubeObjects(client)
  const type = { apiVersion: 'v1', kind: 'ConfigMap' }
  await assert.rejects(objects.find(type, { name: 'a', namespace: '' }, {}), {
    message:
      'namespace: Required value: ConfigMap "a" is in a namespace: set metadata.namespace of the manifest and discovery.namespace',
  })
  await assert.rejects(objects.list({ apiVersion: 'example.com/v1', kind: 'Widget' }, {}, {}), /Widget/)
  const object = { ...type, metadata: { name: 'a', namespace: 'default' } }
  const first = await objects.apply(object, undefined, {})
  await objects.delete(first, { propagationPolicy: 'Background' })
  await objects.delete(first, { propagationPolicy: 'Background' })
  await objects.apply(object, undefined, {})
  await assert.rejects(objects.delete(first, { propagationPolicy: 'Background' }), /uid/i)
  assert.ok(await objects.find(type, { name: 'a', namespace: 'default' }, {}))
  assert.ok(await objects.find({ apiVersion: 'v1', kind: 'Namespace' }, { name: 'default', namespace: 'x' }, {}))
})
