import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadAgentConfig } from '../agent/index.js'
import { agentManifests } from './manifests.js'

const SETTINGS = {
  clusterName: 'edge',
  namespace: 'ovim-system',
  image: 'example.com/agent:1',
  endpoint: 'https://hub.example.com:8443',
  certificateAuthority: 'PEM',
  apiPort: 8080,
  hasToken: false,
}

interface DeploymentShape {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly env: readonly { name: string; value: string }[] }[]
        readonly volumes: readonly object[]
      }
    }
  }
}

function environmentOf(settings: typeof SETTINGS | (Omit<typeof SETTINGS, 'certificateAuthority'> & object)) {
  const manifests = agentManifests({ certificateAuthority: undefined, ...settings })
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown as DeploymentShape
  const [container] = deployment.spec.template.spec.containers
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
}

test('agentManifests: the agent accepts its environment, with a certificate or a token', () => {
  const config = loadAgentConfig({ environment: environmentOf(SETTINGS) })
  assert.deepEqual([config.clusterId, config.zoneId, config.namespace], ['edge', 'edge', 'ovim-system'])
  assert.deepEqual(
    [config.hub.endpoint, config.hub.certPath, config.hub.caPath],
    [SETTINGS.endpoint, '/var/run/hub/tls.crt', '/var/run/ovim-hub/ca.crt'],
  )
  const { hub } = loadAgentConfig({ environment: environmentOf({ ...SETTINGS, hasToken: true }) })
  assert.deepEqual([hub.tokenFile, hub.certPath], ['/var/run/hub/token', ''])
})

test('agentManifests: without an authority of its own, the agent trusts those of its system', () => {
  const { certificateAuthority: _, ...settings } = SETTINGS
  assert.equal(environmentOf(settings).OVIM_HUB_CA_PATH, undefined)
  const kinds = agentManifests({ ...settings, certificateAuthority: undefined }).map(({ kind }) => kind)
  assert.ok(!kinds.includes('ConfigMap'))
})

test('agentManifests: the namespace stays when the add-on is disabled', () => {
  const [namespace] = agentManifests(SETTINGS)
  assert.deepEqual(namespace?.metadata.annotations, { 'addon.open-cluster-management.io/deletion-orphan': '' })
})
