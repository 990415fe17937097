import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AddOnDeploymentConfigSpec, ManagedCluster } from '@orrery/api'
import type { Manifest } from '../agent-addon.js'
import { configDecoration, decorateWorkload, proxyObjects } from './decorate.js'
import { helmValues, templateValues } from './deployment-config-values.js'

const cluster = { metadata: { name: 'c1' } } as ManagedCluster
const CA = '-----BEGIN CERTIFICATE-----'

function workload(kind: string, apiVersion = 'apps/v1'): Manifest {
  const spec = {
    initContainers: [{ name: 'init', image: 'quay.io/a/init:1' }],
    containers: [
      {
        name: 'agent',
        image: 'quay.io/a/agent:1',
        env: [
          { name: 'HTTP_PROXY', value: 'old' },
          { name: 'KEEP', value: 'k' },
        ],
      },
      { name: 'proxy', image: 'docker.io/proxy' },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'own' }],
  }
  return { apiVersion, kind, metadata: { name: 'hello' }, spec: { replicas: 1, template: { metadata: {}, spec } } }
}

const config: AddOnDeploymentConfigSpec = {
  agentInstallNamespace: 'ns',
  customizedVariables: [{ name: 'Image', value: 'i' }, { name: 'None' }],
  nodePlacement: { nodeSelector: { host: 'ssd' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] },
  registries: [{ source: 'quay.io/a', mirror: 'mirror' }],
  proxyConfig: { httpProxy: 'http://p', noProxy: 'x', caBundle: Buffer.from(CA).toString('base64') },
  resourceRequirements: [
    { containerID: '*:*:*', resources: { limits: { memory: '1Gi' } } },
    { containerID: 'deployments:hello:agent', resources: { requests: { cpu: '10m' } } },
  ],
}

suite('decorateWorkload', () => {
  test('applies an AddOnDeploymentConfig to Deployments and DaemonSets', () => {
    const decoration = configDecoration('hello', cluster, config)
    const { spec } = decorateWorkload(workload('Deployment'), decoration) as unknown as {
      spec: { replicas: number; template: { spec: Record<string, unknown> } }
    }
    assert.equal(spec.replicas, 1)
    const added = [
      { name: 'HTTP_PROXY', value: 'http://p' },
      { name: 'http_proxy', value: 'http://p' },
      { name: 'NO_PROXY', value: 'x' },
      { name: 'no_proxy', value: 'x' },
      { name: 'CA_BUNDLE_FILE_PATH', value: '/managed/proxy-ca/ca-bundle.crt' },
    ]
    const volumeMounts = [{ name: 'proxy-ca-bundle', mountPath: '/managed/proxy-ca' }]
    assert.deepEqual(spec.template.spec, {
      initContainers: [{ name: 'init', image: 'mirror/init:1' }],
      containers: [
        {
          name: 'agent',
          image: 'mirror/agent:1',
          env: [{ name: 'KEEP', value: 'k' }, ...added],
          volumeMounts,
          resources: { requests: { cpu: '10m' } },
        },
        { name: 'proxy', image: 'docker.io/proxy', env: added, volumeMounts, resources: { limits: { memory: '1Gi' } } },
      ],
      volumes: [
        { name: 'data', emptyDir: {} },
        { name: 'proxy-ca-bundle', configMap: { name: 'hello-proxy-ca' } },
      ],
      nodeSelector: { host: 'ssd' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    })
    const daemons = JSON.stringify(decorateWorkload(workload('DaemonSet'), decoration))
    assert.match(daemons, /mirror\/agent:1/)
    assert.doesNotMatch(daemons, /10m/)
  })

  test('leaves other kinds and everything that is not configured', () => {
    const decoration = configDecoration('hello', cluster, config)
    for (const other of [
      workload('StatefulSet'),
      workload('Deployment', 'apps/v1beta1'),
      workload('Job', 'batch/v1'),
    ]) {
      assert.equal(decorateWorkload(other, decoration), other)
    }
    const plain = configDecoration('hello', cluster, undefined)
    assert.deepEqual(decorateWorkload(workload('Deployment'), plain), workload('Deployment'))
    const tolerations = [{ key: 'x' }]
    const onlyTolerations = decorateWorkload(workload('Deployment'), { nodePlacement: { tolerations } })
    assert.match(JSON.stringify(onlyTolerations), /"tolerations":\[\{"key":"x"\}\]/)
  })

  test('decorating again changes nothing', () => {
    const decoration = configDecoration('hello', cluster, { ...config, registries: [] })
    const once = decorateWorkload(workload('Deployment'), decoration)
    assert.deepEqual(decorateWorkload(once, decoration), once)
  })
})

test('proxyObjects: a ConfigMap with the certificates', () => {
  assert.deepEqual(proxyObjects('hello', 'ns', config), [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'hello-proxy-ca', namespace: 'ns' },
      data: { 'ca-bundle.crt': CA },
    },
  ])
  assert.deepEqual(proxyObjects('hello', 'ns', undefined), [])
})

test('templateValues: has the names of Open Cluster Management', () => {
  assert.deepEqual(templateValues(config), {
    Image: 'i',
    None: '',
    NodeSelector: { host: 'ssd' },
    Tolerations: [{ key: 'gpu', operator: 'Exists' }],
    HTTPProxy: 'http://p',
    NoProxy: 'x',
    ProxyCABundle: CA,
    ResourceRequirements: [
      {
        ContainerIDRegex: '^.+:.+:.+$',
        Resources: { limits: { memory: '1Gi' } },
        ResourcesRaw: { limits: { memory: '1Gi' } },
      },
      {
        ContainerIDRegex: '^deployments:hello:agent$',
        Resources: { requests: { cpu: '10m' } },
        ResourcesRaw: { requests: { cpu: '10m' } },
      },
    ],
  })
  assert.deepEqual(templateValues({ agentInstallNamespace: 'x' }), {})
})

test('helmValues: are under global', () => {
  assert.deepEqual(helmValues({ ...config, resourceRequirements: config.resourceRequirements?.slice(0, 1) ?? [] }), {
    Image: 'i',
    None: '',
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    global: {
      nodeSelector: { host: 'ssd' },
      proxyConfig: { HTTP_PROXY: 'http://p', NO_PROXY: 'x', PROXY_CA_BUNDLE: CA },
      resourceRequirements: [
        {
          containerIDRegex: '^.+:.+:.+$',
          resources: { limits: { memory: '1Gi' } },
          resourcesRaw: { limits: { memory: '1Gi' } },
        },
      ],
    },
  })
  assert.deepEqual(helmValues({ agentInstallNamespace: 'x', proxyConfig: { noProxy: 'x' } }), {})
})
