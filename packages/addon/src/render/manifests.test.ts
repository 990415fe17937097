import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { AddonContext } from '../agent-addon.js'
import { manifestsFrom, yamlManifests } from './manifests.js'
import { annotationValues } from './values.js'

const cluster = { metadata: { name: 'c1' }, status: { version: { kubernetes: 'v1.33.1' } } } as ManagedCluster
const context = {} as AddonContext
const VALUES = 'addon.open-cluster-management.io/values'

function addon(annotations: Record<string, string> = {}): ManagedClusterAddOn {
  return { metadata: { namespace: 'c1', name: 'hello', annotations } } as ManagedClusterAddOn
}

const TEMPLATE = `
kind: ConfigMap
data:
  go: "{{ .ClusterName }} {{ .AddonInstallNamespace }} {{ .InstallMode }} {{ .HubKubeConfigSecret }} {{ .ManagedKubeConfigSecret }}"
  helm: "{{ .Values.clusterName }} {{ .Values.addonInstallNamespace }} {{ .Values.installMode }} {{ .Values.hubKubeConfigSecret }}"
  release: "{{ .Release.Name }}/{{ .Release.Namespace }} {{ .Capabilities.KubeVersion.Version }}"
  image: "{{ .Image }} {{ .Values.Image }}"
`

async function render(values: Parameters<typeof yamlManifests>[0]['values'] = [], annotations = {}, more = {}) {
  const manifests = yamlManifests({ addonName: 'hello', templates: { 'a.yaml': TEMPLATE }, values, ...more })
  const [object] = await manifests(cluster, addon(annotations), context)
  return (object as unknown as { data: Record<string, string> }).data
}

suite('yamlManifests', () => {
  test('has the built-in values in both spellings', async () => {
    const namespace = 'open-cluster-management-agent-addon'
    assert.deepEqual(await render([{ Image: 'i' }]), {
      go: `c1 ${namespace} Default hello-hub-kubeconfig hello-managed-kubeconfig`,
      helm: `c1 ${namespace} Default hello-hub-kubeconfig`,
      release: `hello/${namespace} v1.33.1`,
      image: 'i i',
    })
  })

  test('values override defaults, but not the cluster, the namespace or the mode', async () => {
    const values = {
      Image: 'i',
      ClusterName: 'other',
      clusterName: 'other',
      HubKubeConfigSecret: 's',
      hubKubeConfigSecret: 't',
    }
    const { go, helm } = await render(
      [values],
      {},
      {
        agentInstallNamespace: async () => 'mine',
        hostedMode: () => ({ mode: 'Hosted', hostingCluster: 'c2' }),
      },
    )
    assert.equal(go, 'c1 mine Hosted s hello-managed-kubeconfig')
    assert.equal(helm, 'c1 mine Hosted t')
  })

  test('later values override earlier ones', async () => {
    const { image } = await render([{ Image: 'first' }, annotationValues], { [VALUES]: '{"Image":"second"}' })
    assert.equal(image, 'second second')
  })

  test('a template that is not valid is an error at the start', () => {
    const templates = { 'agent.yaml': 'kind: {{ if .A }}' }
    assert.throws(() => yamlManifests({ addonName: 'hello', templates }), /agent\.yaml\.kind: .* is not supported/)
  })
})

test('manifestsFrom: objects, lists and functions, in their order', async () => {
  const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  const manifests = manifestsFrom(
    object('a'),
    [object('b')],
    () => [object('c')],
    async () => [object('d')],
  )
  const names = (await manifests(cluster, addon(), context)).map(({ metadata }) => metadata.name)
  assert.deepEqual(names, ['a', 'b', 'c', 'd'])
})
