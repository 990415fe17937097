import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthenticationV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Health,
  KubeConfig,
  KubernetesObjectApi,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
  VersionApi,
  Watch,
} from '@kubernetes/client-node'
import { startServer } from '../support/server.js'

const namespace = 'default'
const contentType = (type: string) => setHeaderOptions('Content-Type', type)
const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
})

async function connect(t: test.TestContext): Promise<KubeConfig> {
  const server = await startServer(t)
  const config = new KubeConfig()
  config.loadFromFile(server.kubeconfig)
  return config
}

const refusedWith = (code: number) => (error: unknown) => error instanceof ApiException && error.code === code

test('the JavaScript client', async (t) => {
  const config = await connect(t)
  const core = config.makeApiClient(CoreV1Api)

  await t.test('reads health, version and identity', async () => {
    const health = new Health(config)
    assert.ok(await health.livez({}))
    assert.ok(await health.readyz({}))
    assert.equal((await config.makeApiClient(VersionApi).getCode()).major, '1')
    const who = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })
    assert.ok(who.status?.userInfo?.groups?.includes('system:masters'))
  })

  await t.test('creates, reads, replaces, lists and deletes typed objects', async () => {
    const made = await core.createNamespacedConfigMap({ namespace, body: configMap('typed', { a: '1' }, { l: 'x' }) })
    const replaced = await core.replaceNamespacedConfigMap({
      name: 'typed',
      namespace,
      body: { ...made, data: { a: '2' } },
    })
    assert.deepEqual(replaced.data, { a: '2' })
    assert.ok(replaced.metadata?.creationTimestamp instanceof Date)
    await assert.rejects(core.replaceNamespacedConfigMap({ name: 'typed', namespace, body: made }), refusedWith(409))
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'l=x', limit: 5 })
    assert.deepEqual(
      list.items.map((item) => item.metadata?.name),
      ['typed'],
    )
    await core.deleteNamespacedConfigMap({ name: 'typed', namespace })
    await assert.rejects(core.readNamespacedConfigMap({ name: 'typed', namespace }), refusedWith(404))
  })

  await t.test('sends patches of every type', async () => {
    await core.createNamespacedConfigMap({ namespace, body: configMap('patched', { a: '1' }) })
    const target = { name: 'patched', namespace }
    const json = [{ op: 'add', path: '/data/b', value: '2' }]
    await core.patchNamespacedConfigMap({ ...target, body: json }, contentType(PatchStrategy.JsonPatch))
    const merge = { data: { a: null, c: '3' } }
    await core.patchNamespacedConfigMap({ ...target, body: merge }, contentType(PatchStrategy.MergePatch))
    const strategic = { data: { d: '4' } }
    await core.patchNamespacedConfigMap({ ...target, body: strategic }, contentType(PatchStrategy.StrategicMergePatch))
    const applied = await core.patchNamespacedConfigMap(
      { ...target, fieldManager: 'js', body: configMap('patched', { e: '5' }) },
      contentType(PatchStrategy.ServerSideApply),
    )
    assert.deepEqual(applied.data, { b: '2', c: '3', d: '4', e: '5' })
  })

  await t.test('manages workloads', async () => {
    const apps = config.makeApiClient(AppsV1Api)
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const body = { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } }
    await apps.createNamespacedDeployment({ namespace, body })
    const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace })
    await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace, body: { ...scale, spec: { replicas: 3 } } })
    const scaled = await apps.readNamespacedDeployment({ name: 'web', namespace })
    assert.deepEqual([scaled.spec?.replicas, scaled.metadata?.generation], [3, 2])
    await config.makeApiClient(BatchV1Api).createNamespacedCronJob({
      namespace,
      body: {
        metadata: { name: 'tick' },
        spec: {
          schedule: '* * * * *',
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
        },
      },
    })
  })

  await t.test('watches', async () => {
    const { metadata } = await core.listNamespacedSecret({ namespace })
    const seen: string[] = []
    const deleted = new EventTarget()
    const path = `/api/v1/namespaces/${namespace}/secrets`
    const stop = await new Watch(config).watch(
      path,
      { resourceVersion: metadata?.resourceVersion, fieldSelector: 'metadata.name=seen', allowWatchBookmarks: true },
      (type) => {
        seen.push(type)
        if (type === 'DELETED') deleted.dispatchEvent(new Event('deleted'))
      },
      () => undefined,
    )
    const end = once(deleted, 'deleted')
    await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'seen' }, stringData: { a: 'b' } } })
    await core.deleteNamespacedSecret({ name: 'seen', namespace })
    await end
    stop.abort()
    assert.deepEqual(seen, ['ADDED', 'DELETED'])
  })

  await t.test('runs an informer', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'cached=yes' })
    const informer = makeInformer<V1ConfigMap>(config, path, list, 'cached=yes')
    const seen: string[] = []
    const changes = new EventTarget()
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => {
        seen.push(`${verb} ${object.metadata?.name}`)
        changes.dispatchEvent(new Event(verb))
      })
    }
    await core.createNamespacedConfigMap({ namespace, body: configMap('before', {}, { cached: 'yes' }) })
    const connected = new Promise<void>((resolve) => informer.on('connect', () => resolve()))
    await informer.start()
    await connected
    const next = async (verb: string, write: Promise<unknown>) => {
      const change = once(changes, verb)
      await write
      await change
    }
    await next('add', core.createNamespacedConfigMap({ namespace, body: configMap('after', {}, { cached: 'yes' }) }))
    const relabel = configMap('after', { a: 'b' }, { cached: 'yes' })
    await next('update', core.replaceNamespacedConfigMap({ name: 'after', namespace, body: relabel }))
    assert.deepEqual(informer.get('after', namespace)?.data, { a: 'b' })
    await next('delete', core.deleteNamespacedConfigMap({ name: 'after', namespace }))
    await informer.stop()
    assert.deepEqual(seen, ['add before', 'add after', 'update after', 'delete after'])
  })

  await t.test('manages custom objects', async () => {
    const crd = loadYaml<V1CustomResourceDefinition>(TOOLS)
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: crd })
    await established(config, 'tools.js.example.com')
    const custom = config.makeApiClient(CustomObjectsApi)
    const kind = { group: 'js.example.com', version: 'v1', namespace, plural: 'tools' }
    const body = { apiVersion: 'js.example.com/v1', kind: 'Tool', metadata: { name: 't' }, spec: { size: 1, extra: 2 } }
    await custom.createNamespacedCustomObject({ ...kind, body })
    const patched = await custom.patchNamespacedCustomObject(
      { ...kind, name: 't', body: { spec: { size: 2 } } },
      contentType(PatchStrategy.MergePatch),
    )
    assert.deepEqual(patched.spec, { size: 2 })
    const status = { ...patched, status: { phase: 'Ready' } }
    const replaced = await custom.replaceNamespacedCustomObjectStatus({ ...kind, name: 't', body: status })
    assert.deepEqual(replaced.status, { phase: 'Ready' })
    const invalid = { ...body, metadata: { name: 'u' }, spec: { size: 'large' } }
    await assert.rejects(custom.createNamespacedCustomObject({ ...kind, body: invalid }), refusedWith(422))
    assert.equal((await custom.listNamespacedCustomObject(kind)).items.length, 1)
    await custom.deleteNamespacedCustomObject({ ...kind, name: 't' })
  })

  await t.test('manages objects of any kind', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    await objects.create(configMap('any', { a: '1' }))
    const patched = await objects.patch<V1ConfigMap>(
      configMap('any', { b: '2' }),
      undefined,
      undefined,
      'js',
      true,
      PatchStrategy.ServerSideApply,
    )
    assert.deepEqual(patched.data, { a: '1', b: '2' })
    const tool = {
      apiVersion: 'js.example.com/v1',
      kind: 'Tool',
      metadata: { name: 'v', namespace },
      spec: { size: 3 },
    }
    await objects.create(tool)
    const list = await objects.list('js.example.com/v1', 'Tool', namespace)
    assert.equal(list.items.length, 1)
    await objects.delete(tool)
    await assert.rejects(objects.read(tool), refusedWith(404))
  })
})

/** Waits with a watch until a CRD is served. */
async function established(config: KubeConfig, name: string): Promise<void> {
  let stop: AbortController | undefined
  await new Promise<void>((resolve, reject) => {
    new Watch(config)
      .watch(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        { fieldSelector: `metadata.name=${name}` },
        (_type, { status }: V1CustomResourceDefinition) => {
          if (status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) resolve()
        },
        reject,
      )
      .then((controller) => {
        stop = controller
      }, reject)
  })
  stop?.abort()
}

const TOOLS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tools.js.example.com}
spec:
  group: js.example.com
  scope: Namespaced
  names: {plural: tools, singular: tool, kind: Tool}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`
