import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ADDON_NAMESPACE, type AddOnDeploymentConfigSpec, type AddOnTemplate, type ManagedCluster } from '@orrery/api'
import { renderTemplate, templateNamespace } from './render.js'

const cluster = { metadata: { name: 'c1' } } as ManagedCluster

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'hello', namespace: 'mine', labels: { '{{KEY}}': 'x' } },
  spec: {
    template: {
      spec: {
        containers: [{ name: 'agent', image: 'quay.io/a/agent', args: ['--cluster={{CLUSTER_NAME}}', '{{ UNSET }}'] }],
      },
    },
  },
}

function template(spec: object): AddOnTemplate {
  return { spec: { addonName: 'hello', ...spec } } as AddOnTemplate
}

const registration = [
  { type: 'KubeClient' },
  { type: 'CustomSigner', customSigner: { signerName: 'example.com/s.x', signingCA: { name: 'ca' } } },
]

function render(spec: object, config?: AddOnDeploymentConfigSpec) {
  return renderTemplate(template(spec), { addonName: 'hello', cluster, config })
}

suite('renderTemplate', () => {
  test('refuses an executor, without which the manifests would be applied with more permissions', () => {
    const executor = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'nobody' } } }
    assert.throws(
      () => render({ agentSpec: { workload: { manifests: [] }, executor } }),
      /^Error: spec\.agentSpec\.executor is not supported: /,
    )
  })

  test('limits what all manifests render to together', () => {
    const config = { agentInstallNamespace: '', customizedVariables: [{ name: 'V', value: 'x'.repeat(1_000) }] }
    const maps = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `m${index}` },
        data: { key: '{{V}}'.repeat(500) },
      }))
    const rendered = (count: number) => render({ agentSpec: { workload: { manifests: maps(count) } } }, config)
    assert.equal(rendered(8).length, 8)
    assert.throws(
      () => rendered(9),
      /manifests\[8\]\.data\.key: the template renders to more than 4194304 characters: use shorter values$/,
    )
  })

  test('replaces variables, and injects credentials and variables', () => {
    const config = { agentInstallNamespace: '', customizedVariables: [{ name: 'KEY', value: 'a"b' }] }
    assert.deepEqual(render({ agentSpec: { workload: { manifests: [deployment] } }, registration }, config), [
      {
        ...deployment,
        metadata: { name: 'hello', namespace: 'mine', labels: { 'a"b': 'x' } },
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'agent',
                  image: 'quay.io/a/agent',
                  args: ['--cluster=c1', ''],
                  env: [
                    { name: 'HUB_KUBECONFIG', value: '/managed/hub-kubeconfig/kubeconfig' },
                    { name: 'CLUSTER_NAME', value: 'c1' },
                    { name: 'INSTALL_NAMESPACE', value: 'mine' },
                  ],
                  volumeMounts: [
                    { name: 'hub-kubeconfig', mountPath: '/managed/hub-kubeconfig' },
                    { name: 'cert-example-com-s-x', mountPath: '/managed/example.com-s.x' },
                  ],
                },
              ],
              volumes: [
                { name: 'hub-kubeconfig', secret: { secretName: 'hello-hub-kubeconfig' } },
                { name: 'cert-example-com-s-x', secret: { secretName: 'hello-example.com-s.x-client-cert' } },
              ],
            },
          },
        },
      },
    ])
  })

  test('built-in variables cannot be overridden, and a template without registration has no kubeconfig', () => {
    const manifests = [
      {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'x' },
        data: { a: '{{CLUSTER_NAME}}', b: '{{HUB_KUBECONFIG}}' },
      },
    ]
    const customizedVariables = [{ name: 'CLUSTER_NAME', value: 'other' }]
    const [map] = render({ agentSpec: { workload: { manifests } } }, { agentInstallNamespace: '', customizedVariables })
    assert.deepEqual(map?.data, { a: 'c1', b: '' })
  })

  test('moves objects to the namespace of the AddOnDeploymentConfig', () => {
    const named = (kind: string, more: object = {}) => ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, ...more })
    const subjects = [
      { kind: 'ServiceAccount', name: 'a', namespace: 'mine' },
      { kind: 'Group', name: 'g' },
    ]
    const manifests = [
      named('Namespace'),
      named('ClusterRoleBinding', { subjects }),
      named('ClusterRole'),
      { ...named('ServiceAccount'), metadata: { name: 'a', namespace: 'mine' } },
    ]
    const config = { agentInstallNamespace: 'there', proxyConfig: { httpProxy: 'p', caBundle: 'Y2E=' } }
    assert.deepEqual(render({ agentSpec: { workload: { manifests } } }, config), [
      { ...named('Namespace'), metadata: { name: 'there' } },
      named('ClusterRoleBinding', {
        subjects: [
          { kind: 'ServiceAccount', name: 'a', namespace: 'there' },
          { kind: 'Group', name: 'g' },
        ],
      }),
      named('ClusterRole'),
      { ...named('ServiceAccount'), metadata: { name: 'a', namespace: 'there' } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'hello-proxy-ca', namespace: 'there' },
        data: { 'ca-bundle.crt': 'ca' },
      },
    ])
  })

  test('names the manifest of an error', () => {
    const manifests = [{ ...deployment, metadata: { name: '{{CLUSTER_NAME' } }]
    assert.throws(
      () => render({ agentSpec: { workload: { manifests } } }),
      /manifests\[0\]\.metadata\.name: .*no closing braces/,
    )
  })
})

test('templateNamespace: the configuration, a Deployment, a DaemonSet, the default', () => {
  const daemonSet = { ...deployment, kind: 'DaemonSet', metadata: { name: 'd', namespace: 'daemons' } }
  const of = (manifests: object[], namespace?: string) =>
    templateNamespace(
      template({ agentSpec: { workload: { manifests } } }).spec,
      namespace === undefined ? undefined : { agentInstallNamespace: namespace },
    )
  assert.equal(of([daemonSet, deployment], 'configured'), 'configured')
  assert.equal(of([daemonSet, deployment], ''), 'mine')
  assert.equal(of([daemonSet]), 'daemons')
  assert.equal(of([]), ADDON_NAMESPACE)
})
