import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { claimProtection, volumeProtection } from '../controllers/storage-protection.js'
import { type InnerServer, startInnerServer } from '../testing/inner-server.fixture.js'

const CLAIMS = { group: '', resource: 'persistentvolumeclaims' }
const VOLUMES = { group: '', resource: 'persistentvolumes' }
const PODS = { group: '', resource: 'pods' }
const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' }
const INGRESSES = { group: 'networking.k8s.io', resource: 'ingresses' }
const INGRESS_CLASSES = { group: 'networking.k8s.io', resource: 'ingressclasses' }

const start = (t: test.TestContext) =>
  startInnerServer(t, { namespaces: ['a'], controllers: [claimProtection, volumeProtection] })

const claim = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'a', name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})

const storageClass = (name: string, extra: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: 'example.com/p',
  ...extra,
})

const isGone = (object: KubeObject | undefined) => object === undefined
const classNameOf = (object: KubeObject) => (object.spec as { storageClassName?: string }).storageClassName

test('defaultStorageClass: sets the newest default for a claim without a class', async (t) => {
  const server = await start(t)
  assert.equal(classNameOf(await server.client.create(CLAIMS, claim('before'))), undefined)
  const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  await server.client.create(STORAGE_CLASSES, storageClass('old', {}, isDefault))
  server.clock.advance(5000)
  await server.client.create(STORAGE_CLASSES, storageClass('new', {}, isDefault))
  assert.equal(classNameOf(await server.client.create(CLAIMS, claim('after'))), 'new')
  assert.equal(classNameOf(await server.client.create(CLAIMS, claim('none', { storageClassName: '' }))), '')
})

test('defaultIngressClass: sets the default for an ingress without a class', async (t) => {
  const server = await start(t)
  await server.client.create(INGRESS_CLASSES, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'web', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'example.com/c' },
  })
  const ingress = (name: string, annotations: Record<string, string>) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { namespace: 'a', name, annotations },
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  })
  const classOf = async (object: KubeObject) =>
    ((await server.client.create(INGRESSES, object)).spec as { ingressClassName?: string }).ingressClassName
  assert.equal(await classOf(ingress('x', {})), 'web')
  assert.equal(await classOf(ingress('y', { 'kubernetes.io/ingress.class': 'mine' })), undefined)
})

test('claimProtection: keeps a claim while a pod uses it', async (t) => {
  const server = await start(t)
  const made = await server.client.create(CLAIMS, claim('c'))
  assert.deepEqual(made.metadata.finalizers, ['kubernetes.io/pvc-protection'])
  const pod = (name: string, claimName: string, nodeName?: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'a', name },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  })
  await server.client.create(PODS, pod('p', 'c', 'n'))
  await server.client.delete(CLAIMS, 'a', 'c')
  await server.client.create(CLAIMS, claim('unused'))
  await server.client.create(PODS, pod('without-node', 'unused'))
  await server.client.delete(CLAIMS, 'a', 'unused')
  await server.eventually(CLAIMS, 'a', 'unused', isGone)
  assert.ok(server.client.get(CLAIMS, 'a', 'c'))
  await server.client.delete(PODS, 'a', 'p')
  await server.eventually(CLAIMS, 'a', 'c', isGone)
})

test('volumeProtection: keeps a volume while it is bound', async (t) => {
  const server = await start(t)
  await server.client.create(VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  })
  await setPhase(server, VOLUMES, '', 'v', 'Bound')
  await server.client.delete(VOLUMES, '', 'v')
  assert.ok(server.client.get(VOLUMES, '', 'v'))
  await setPhase(server, VOLUMES, '', 'v', 'Released')
  await server.eventually(VOLUMES, '', 'v', isGone)
})

test('persistentVolumeClaimResize: allows expansion only for bound claims of a class that permits it', async (t) => {
  const server = await start(t)
  await server.client.create(STORAGE_CLASSES, storageClass('grows', { allowVolumeExpansion: true }))
  await server.client.create(STORAGE_CLASSES, storageClass('fixed', {}))
  const grow = (name: string) =>
    server.client.change(CLAIMS, 'a', name, (live) => ({
      ...live,
      spec: { ...(live.spec as object), resources: { requests: { storage: '2Gi' } } },
    }))
  for (const name of ['grows', 'fixed']) {
    await server.client.create(CLAIMS, claim(name, { storageClassName: name }))
    await assert.rejects(grow(name), /is forbidden|Forbidden/)
    await server.client.change(CLAIMS, 'a', name, (live) => ({
      ...live,
      spec: { ...(live.spec as object), volumeName: 'v' },
    }))
    await setPhase(server, CLAIMS, 'a', name, 'Bound')
  }
  await grow('grows')
  await assert.rejects(grow('fixed'), /the storageclass that provisions the pvc must support resize/)
})

async function setPhase(
  server: InnerServer,
  ref: typeof CLAIMS,
  namespace: string,
  name: string,
  phase: string,
): Promise<void> {
  await server.client.change(
    ref,
    namespace,
    name,
    (live) => ({ ...live, status: { ...(live.status as object), phase } }),
    'status',
  )
}
