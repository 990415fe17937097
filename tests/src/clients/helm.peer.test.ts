import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { Client } from '../support/client.js'
import { startServer, temporaryDirectory } from '../support/server.js'
import { runToEnd } from './programs.js'

const CHART: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: demo\nversion: 1.0.0\nkubeVersion: ">=1.36.0-0"\n',
  'values.yaml': 'greeting: hello\n',
  'crds/gadgets.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.helm.example.com}
spec:
  group: helm.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`,
  'templates/config.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data:
  greeting: {{ .Values.greeting | quote }}
  revision: {{ .Release.Revision | quote }}
  devices: {{ .Capabilities.APIVersions.Has "resource.k8s.io/v1/ResourceClaim" | quote }}
  namespace: {{ (lookup "v1" "Namespace" "" .Release.Namespace).metadata.name | quote }}
`,
  'templates/gadget.yaml': `
apiVersion: helm.example.com/v1
kind: Gadget
metadata: {name: {{ .Release.Name }}-gadget}
spec: {size: 1}
`,
  'templates/hook.yaml': `
apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {"helm.sh/hook": pre-install}
stringData: {made: before}
`,
}

async function writeChart(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t)
  for (const [name, text] of Object.entries(CHART)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  return directory
}

test('Helm', async (t) => {
  const server = await startServer(t)
  const client = new Client(server)
  t.after(() => client.close())
  const chart = await writeChart(t)
  const home = await temporaryDirectory(t)
  const environment = {
    KUBECONFIG: server.kubeconfig,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
  }
  const helm = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runToEnd('helm', [...args, '--namespace', 'helm'], environment)
    assert.equal(code, 0, `helm ${args.join(' ')}\n${stdout}${stderr}`)
    return stdout
  }
  const data = async () =>
    (await client.ok('GET', '/api/v1/namespaces/helm/configmaps/demo-config')) as unknown as {
      data: Record<string, string>
    }
  const wait = ['--wait', '--timeout', '60s']

  await t.test('installs a chart with a CRD, a hook and lookups', async () => {
    await client.ok('POST', '/api/v1/namespaces', { metadata: { name: 'helm' } })
    await helm('install', 'demo', chart, ...wait)
    const expected = { greeting: 'hello', revision: '1', devices: 'true', namespace: 'helm' }
    assert.deepEqual((await data()).data, expected)
    await client.ok('GET', '/apis/helm.example.com/v1/namespaces/helm/gadgets/demo-gadget')
    await client.ok('GET', '/api/v1/namespaces/helm/secrets/demo-hook')
    const [release] = JSON.parse(await helm('list', '--output', 'json'))
    assert.deepEqual([release.name, release.status, release.revision], ['demo', 'deployed', '1'])
  })

  await t.test('upgrades it', async () => {
    const preview = await helm('upgrade', 'demo', chart, '--set', 'greeting=hi', '--dry-run=server')
    assert.match(preview, /greeting: "hi"/)
    assert.equal((await data()).data.greeting, 'hello')
    await helm('upgrade', 'demo', chart, '--set', 'greeting=hi', ...wait)
    const { greeting, revision } = (await data()).data
    assert.deepEqual([greeting, revision], ['hi', '2'])
  })

  await t.test('rolls it back', async () => {
    await helm('rollback', 'demo', '1', ...wait)
    assert.equal((await data()).data.greeting, 'hello')
    const history: { revision: number; status: string }[] = JSON.parse(
      await helm('history', 'demo', '--output', 'json'),
    )
    assert.deepEqual(
      history.map(({ revision, status }) => `${revision} ${status}`),
      ['1 superseded', '2 superseded', '3 deployed'],
    )
  })

  await t.test('an upgrade that the server rejects leaves the objects as they were', async () => {
    await writeFile(
      join(chart, 'templates/gadget.yaml'),
      CHART['templates/gadget.yaml']?.replace('size: 1', 'size: large') ?? '',
    )
    const args = ['upgrade', 'demo', chart, '--namespace', 'helm', '--rollback-on-failure', '--timeout', '60s']
    const { code, stderr } = await runToEnd('helm', args, environment)
    assert.notEqual(code, 0)
    assert.match(stderr, /spec.size/)
    assert.equal((await data()).data.greeting, 'hello')
  })

  await t.test('uninstalls it', async () => {
    await helm('uninstall', 'demo', ...wait)
    const { status } = await client.send('GET', '/api/v1/namespaces/helm/configmaps/demo-config')
    assert.equal(status, 404)
    assert.deepEqual(JSON.parse(await helm('list', '--output', 'json')), [])
    const secrets = await client.ok('GET', '/api/v1/namespaces/helm/secrets?labelSelector=owner=helm')
    assert.deepEqual((secrets as unknown as { items: unknown[] }).items, [])
  })
})
