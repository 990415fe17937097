import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ApiObject, ConfigMap, Deployment, type Kind, Service } from '@orrery/kinds'
import { isConflict, isInvalid, isNotFound } from '@orrery/kinds/values'
import {
  addFinalizer,
  ensure,
  Informers,
  isBeingDeleted,
  KubeClient,
  ownerReferenceTo,
  removeFinalizer,
  writeConditions,
  writeStatus,
} from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'
import { FakeClock } from '@orrery/kube/testing'
import { changeAnnotations, changeLabels, isOwnedBy, removeOwner, setOwner } from '@orrery/kube/write'
import { type Connect, counting, type Subject } from './subject.js'

const ready = { type: 'example.com/Ready', status: 'True', reason: 'Up', message: 'all is well' } as const
const FINALIZER = 'example.com/hold'

function service({ client, namespace }: Subject): Promise<Service> {
  return client.create(Service, { metadata: { namespace, name: 'web' }, spec: { ports: [{ port: 80 }] } })
}

function configMap({ client, namespace }: Subject, name = 'cm'): Promise<ConfigMap> {
  return client.create(ConfigMap, { metadata: { namespace, name } })
}

function counted(client: KubeClient) {
  const transport = counting(client.transport)
  return { client: new KubeClient(transport), requests: transport.requests }
}

/** Writes that send nothing if nothing changed, with optimistic locking. */
export function writingSuite(where: string, connect: Connect): void {
  test(`${where}: a status is written only if it changes, and only the differences`, async (t) => {
    const subject = await connect(t)
    const created = await service(subject)
    const bodies: unknown[] = []
    const transport: Transport = {
      request(request) {
        bodies.push(JSON.parse(String(request.body)))
        return subject.client.raw(request)
      },
    }
    const client = new KubeClient(transport)
    const clock = new FakeClock()
    const first = await writeConditions(client, Service, created, [ready], { clock })
    const { uid, resourceVersion } = created.metadata
    const condition = { ...ready, lastTransitionTime: '2030-01-01T00:00:00Z' }
    assert.deepEqual(bodies.splice(0), [{ metadata: { uid, resourceVersion }, status: { conditions: [condition] } }])
    assert.equal(await writeConditions(client, Service, first, [ready], { clock }), first)
    const same = await writeStatus(client, Service, first, ({ status }) => ({ ...status, loadBalancer: {} }))
    assert.equal(same, first)
    assert.deepEqual(bodies, [])
  })

  test(`${where}: a status that others write at the same time is computed again`, async (t) => {
    const subject = await connect(t)
    const { client } = subject
    const stale = await service(subject)
    const clock = new FakeClock()
    const writers = Array.from({ length: 6 }, (_, index) =>
      writeConditions(client, Service, stale, [{ ...ready, type: `example.com/C${index}` }], { clock }),
    )
    await Promise.all(writers)
    const { status } = await client.get(Service, stale.metadata)
    assert.deepEqual(
      status?.conditions?.map(({ type }) => type).sort(),
      Array.from({ length: 6 }, (_, index) => `example.com/C${index}`),
    )
    await assert.rejects(
      writeConditions(client, Service, stale, [{ ...ready, status: 'False' }], { tries: 1 }),
      isConflict,
    )
  })

  test(`${where}: the status of a recreated object is not changed`, async (t) => {
    const subject = await connect(t)
    const { client } = subject
    const former = await service(subject)
    await client.delete(Service, former.metadata)
    await assert.rejects(writeConditions(client, Service, former, [ready]), isNotFound)
    const latter = await service(subject)
    await assert.rejects(writeConditions(client, Service, former, [ready]), isNotFound)
    const { metadata } = await client.get(Service, former.metadata)
    assert.equal(metadata.resourceVersion, latter.metadata.resourceVersion)
  })

  test(`${where}: a finalizer blocks the deletion of an object until it is removed`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const stale = await configMap(subject)
    await changeLabels(subject.client, ConfigMap, stale, { other: 'writer' })
    const held = await addFinalizer(client, ConfigMap, stale, FINALIZER)
    assert.deepEqual(held.metadata.finalizers, [FINALIZER])
    assert.equal(held.metadata.labels?.other, 'writer')
    requests.length = 0
    assert.equal(await addFinalizer(client, ConfigMap, held, FINALIZER), held)
    assert.deepEqual(requests, [])
    await client.delete(ConfigMap, held.metadata)
    const leaving = await addFinalizer(client, ConfigMap, held, 'example.com/too-late')
    assert.ok(isBeingDeleted(leaving))
    assert.deepEqual(leaving.metadata.finalizers, [FINALIZER])
    await removeFinalizer(client, ConfigMap, held, FINALIZER)
    assert.equal(await client.find(ConfigMap, held.metadata), undefined)
    assert.equal(await removeFinalizer(client, ConfigMap, leaving, FINALIZER), undefined)
    const again = await configMap(subject)
    assert.equal(await removeFinalizer(client, ConfigMap, leaving, FINALIZER), undefined)
    requests.length = 0
    assert.equal(await removeFinalizer(client, ConfigMap, again, FINALIZER), again)
    assert.deepEqual(requests, [])
  })

  test(`${where}: owners are added and removed, and one is the controller`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const [object, first, second] = await Promise.all(['cm', 'a', 'b'].map((name) => configMap(subject, name)))
    assert.ok(object && first && second)
    const owned = await setOwner(client, ConfigMap, object, ownerReferenceTo(first, ConfigMap, { controller: true }))
    assert.ok(isOwnedBy(owned, first))
    const rival = ownerReferenceTo(second, ConfigMap, { controller: true })
    await assert.rejects(setOwner(client, ConfigMap, owned, rival), isInvalid)
    const shared = await setOwner(client, ConfigMap, object, ownerReferenceTo(second, ConfigMap))
    assert.ok(isOwnedBy(shared, first) && isOwnedBy(shared, second))
    requests.length = 0
    assert.equal(await setOwner(client, ConfigMap, shared, ownerReferenceTo(second, ConfigMap)), shared)
    assert.deepEqual(requests, [])
    const left = await removeOwner(client, ConfigMap, shared, first.metadata)
    const free = await removeOwner(client, ConfigMap, left, second.metadata)
    assert.equal(free.metadata.ownerReferences, undefined)
  })

  test(`${where}: labels and annotations are changed by key, with other writers`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const stale = await configMap(subject)
    await changeLabels(client, ConfigMap, stale, { a: '1', b: '2' })
    await changeLabels(client, ConfigMap, stale, { c: '3' })
    const marked = await changeAnnotations(client, ConfigMap, stale, { note: 'x' })
    const changed = await changeLabels(client, ConfigMap, marked, { a: null, b: '4', nowhere: null })
    assert.deepEqual(changed.metadata.labels, { b: '4', c: '3' })
    assert.deepEqual(changed.metadata.annotations, { note: 'x' })
    requests.length = 0
    assert.equal(await changeLabels(client, ConfigMap, changed, { b: '4', a: null }), changed)
    assert.deepEqual(requests, [])
  })

  test(`${where}: an apply without a change is not sent`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const { namespace } = subject
    const fieldManager = 'suite'
    const desired = (replicas: number, labels: Record<string, string> = {}) => ({
      metadata: { namespace, name: 'web', labels },
      spec: {
        replicas,
        paused: true,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              { name: 'main', image: 'example.com/web', ports: [{ containerPort: 80, protocol: 'TCP' as const }] },
              { name: 'aside', image: 'example.com/aside', args: ['-v', '-v'] },
            ],
            volumes: [{ name: 'scratch', emptyDir: {} }],
          },
        },
      },
    })
    const apply = (current: Deployment | undefined, replicas: number, labels?: Record<string, string>) =>
      ensure(client, Deployment, desired(replicas, labels), current, { fieldManager, force: false })
    const labelled = await apply(undefined, 0, { team: 'a', tier: 'b' })
    requests.length = 0
    assert.equal(await apply(labelled, 0, { team: 'a', tier: 'b' }), labelled)
    assert.deepEqual(requests, [])
    const fewer = await apply(labelled, 0, { team: 'a' })
    assert.deepEqual(fewer.metadata.labels, { team: 'a' })
    assert.equal(requests.length, 1)
    const drifted = await client.patch(Deployment, fewer.metadata, { metadata: { labels: { team: 'z', theirs: '1' } } })
    const restored = await ensure(client, Deployment, desired(0, { team: 'a' }), drifted, { fieldManager })
    assert.deepEqual(restored.metadata.labels, { team: 'a', theirs: '1' })
    requests.length = 0
    assert.equal(await apply(restored, 0, { team: 'a' }), restored)
    assert.deepEqual(requests, [])
  })

  test(`${where}: ensure: sends nothing for an object of a default informer in the desired state`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const verbs = () => requests.map((request) => request.split(' ')[0])
    const { namespace } = subject
    const configMaps = followed(t, client, ConfigMap, namespace)
    const ref = { namespace, name: 'settings' }
    const write = (data: Record<string, string>, known?: ConfigMap) =>
      ensure(client, ConfigMap, { metadata: { ...ref, labels: { team: 'a' } }, data }, known, {
        fieldManager: 'example',
      })
    await write({ level: 'info', format: 'json' })
    const known = await configMaps.when('settings', ({ data }) => data?.format === 'json')
    assert.equal(known.metadata.managedFields, undefined)
    requests.length = 0
    assert.equal(await write({ format: 'json', level: 'info' }, known), known)
    assert.deepEqual(requests, [])
    const changed = await write({ level: 'debug', format: 'json' }, known)
    assert.deepEqual(changed.data, { level: 'debug', format: 'json' })
    assert.equal(requests.length, 1)
    // A field that is no longer wanted is removed: the object is read to tell it from a field of another manager.
    const later = await configMaps.when('settings', ({ data }) => data?.level === 'debug')
    requests.length = 0
    const fewer = await write({ level: 'debug' }, later)
    assert.deepEqual(fewer.data, { level: 'debug' })
    assert.deepEqual(verbs(), ['GET', 'PATCH'])
  })

  test(`${where}: ensure: does not write because of the server's defaults, and reads once to decide`, async (t) => {
    const subject = await connect(t)
    const { client, requests } = counted(subject.client)
    const verbs = () => requests.map((request) => request.split(' ')[0])
    const { namespace } = subject
    const services = followed(t, client, Service, namespace)
    const wanted = { metadata: { namespace, name: 'web' }, spec: { ports: [{ port: 80, protocol: 'TCP' as const }] } }
    const write = (known?: Service) => ensure(client, Service, wanted, known, { fieldManager: 'example' })
    await write()
    const known = await services.when('web', () => true)
    requests.length = 0
    const after = await write(known)
    assert.equal(after.metadata.resourceVersion, known.metadata.resourceVersion)
    assert.equal(await write(known), known)
    assert.deepEqual(verbs(), ['GET'])
  })
}

/** An informer with default options, and a way to wait for its state. */
function followed<T extends ApiObject>(
  t: Pick<TestContext, 'after'>,
  client: KubeClient,
  kind: Kind<T, object>,
  namespace: string,
) {
  const informers = new Informers(client)
  t.after(() => informers.close())
  const informer = informers.of(kind, { namespace })
  return {
    when: (name: string, holds: (object: T) => boolean) =>
      new Promise<T>((resolve) => {
        informer.subscribe(({ after }) => {
          if (after?.metadata.name === name && holds(after)) resolve(after)
        })
      }),
  }
}
