import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { apiClient } from '../api/api-client.js'
import { type FakeReply, type SeenRequest, startApi } from '../api/server.fixture.js'
import { loadAdapter } from '../config/load.js'
import { FakeMaestro } from '../works/works.fixture.js'
import { type AdapterEvent, parseEvent } from './event.js'
import { execute, type RunContext } from './execute.js'

const configFor = (api: string) => `
adapter: { name: controlplane, version: "1.0" }
clients:
  hyperfleet_api: { base_url: "${api}", base_delay: 1ms, max_delay: 1ms }
  maestro:
    grpc_server_address: maestro:8090
    http_server_address: http://maestro:8000
    source_id: controlplane
    insecure: true
    auth: { tls_config: { ca_file: /etc/ca.crt } }
`

/** An adapter that applies a HostedCluster and reports the three conditions. */
export const TASK = `
params:
  - { name: clusterId, source: event.id, type: string, required: true }
  - { name: generation, source: event.generation, type: int, required: true }
  - name: cluster
    source: { api_call: { method: GET, url: "/clusters/{{ .clusterId }}" } }
  - { name: clusterName, source: cluster.name, default: unnamed }
  - { name: isDeleting, source: { expression: "cluster.?deleted_time.hasValue()" } }
  - { name: consumer, source: env.MANAGEMENT_CLUSTER_CONSUMER, default: us-east-mgmt-01 }
preconditions:
  - name: region
    conditions: [{ field: cluster.spec.region, operator: in, values: [us-east, us-west] }]
  - { name: named, expression: "clusterName != ''" }
resources:
  - name: hostedCluster
    transport: { client: maestro, maestro: { target_cluster: "{{ .consumer }}" } }
    discovery: { by_name: "{{ .clusterId }}-mw" }
    nested_discoveries:
      - name: nestedCluster
        discovery: { by_name: "{{ .clusterName }}", namespace: clusters }
    lifecycle:
      delete: { when: { expression: isDeleting } }
    manifest:
      apiVersion: work.open-cluster-management.io/v1
      kind: ManifestWork
      metadata:
        name: "{{ .clusterId }}-mw"
        annotations: { hyperfleet.io/generation: "{{ .generation }}" }
      spec:
        workload:
          manifests:
            - apiVersion: hypershift.openshift.io/v1beta1
              kind: HostedCluster
              metadata:
                name: "{{ .clusterName }}"
                namespace: clusters
                annotations: { hyperfleet.io/generation: "{{ .generation }}" }
              spec: { platform: { type: GCP } }
post:
  payloads:
    - name: status
      build:
        adapter: "{{ .adapter.name }}"
        observed_generation: { expression: generation }
        observed_time: "{{ now | date \\"2006-01-02T15:04:05Z07:00\\" }}"
        conditions:
          - type: Applied
            status:
              expression: 'resources.?hostedCluster.hasValue() ? "True" : "False"'
            reason: { expression: 'adapter.resourcesSkipped ? "ResourcesSkipped" : "ManifestWork"' }
          - type: Available
            status:
              expression: 'conditionStatus(resources.nestedCluster.conditions, "Available")'
              default: "False"
          - type: Health
            status: { expression: 'adapter.executionStatus == "success" ? "True" : "False"' }
            reason:
              expression: 'adapter.executionStatus == "success" ? "Healthy" : "ExecutionFailed:" + adapter.executionError.phase'
          - type: Finalized
            status: { expression: 'isDeleting && !resources.?hostedCluster.hasValue() ? "True" : "False"', default: "False" }
  post_actions:
    - name: report
      api_call: { method: PUT, url: "/clusters/{{ .clusterId }}/statuses", body: "{{ .status }}" }
`

/** An adapter that applies a ConfigMap to the Kubernetes API itself. */
export const OBJECT_TASK = `
params:
  - { name: clusterId, source: event.id, required: true }
  - { name: generation, source: event.generation, type: int, required: true }
resources:
  - name: settings
    transport: { client: kubernetes }
    discovery: { by_selectors: { label_selector: { cluster: "{{ .clusterId }}" } }, namespace: "*" }
    lifecycle:
      delete: { when: { expression: "generation == 9" } }
    manifest:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: "{{ .clusterId }}"
        namespace: clusters
        labels: { cluster: "{{ .clusterId }}" }
        annotations: { hyperfleet.io/generation: "{{ .generation }}" }
      data: { generation: "{{ .generation }}" }
post:
  post_actions:
    - name: report
      when: { expression: 'resources.?settings.data.generation.orValue("") != "1"' }
      api_call: { method: PUT, url: "/clusters/{{ .clusterId }}/statuses", body: "{{ .generation }}" }
`

export const EVENT: AdapterEvent = parseEvent(
  JSON.stringify({
    specversion: '1.0',
    id: 'e1',
    type: 'com.redhat.hyperfleet.cluster.reconcile.v1',
    source: '/hyperfleet/service/sentinel',
    data: { id: 'abc123', kind: 'Cluster', href: '/api/hyperfleet/v1/clusters/abc123', generation: 5 },
  }),
)

export const CLUSTER = { id: 'abc123', name: 'my-cluster', spec: { region: 'us-east' } }

/** An adapter with an API that returns a cluster and accepts reports, unless a test wants otherwise. */
export async function startAdapter(
  t: TestContext,
  options: { task?: string; answer?: (request: SeenRequest) => FakeReply | undefined } = {},
) {
  const maestro = new FakeMaestro()
  const api = await startApi(
    t,
    (request) =>
      options.answer?.(request) ??
      (request.method === 'GET' ? { status: 200, body: CLUSTER } : { status: 201, body: {} }),
  )
  const directory = mkdtempSync(join(tmpdir(), 'adapter-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const [configFile, taskFile] = [join(directory, 'config.yaml'), join(directory, 'task.yaml')]
  writeFileSync(configFile, configFor(api.url))
  writeFileSync(taskFile, options.task ?? TASK)
  const now = () => new Date('2030-01-01T00:00:00Z')
  const adapter = loadAdapter({ configFile, taskFile, environment: {}, now })
  const context: RunContext = {
    adapter,
    client: maestro,
    api: apiClient({ baseUrl: api.url }),
    log: silentLogger,
    signal: new AbortController().signal,
  }
  /** The body of the last report. */
  const report = () => JSON.parse(api.requests.filter(({ method }) => method === 'PUT').at(-1)?.body ?? 'null')
  return {
    maestro,
    api,
    adapter,
    context,
    configFile,
    taskFile,
    directory,
    run: (event = EVENT) => execute(event, context),
    report,
  }
}
