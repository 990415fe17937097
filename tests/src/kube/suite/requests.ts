import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, Deployment, Namespace, Secret } from '@orrery/kinds'
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound, type StatusError } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import type { WatchEvent } from '@orrery/kube/client'
import { rateLimited } from '@orrery/kube/transport'
import { type Connect, uniqueName } from './subject.js'

/** All requests of a client, and all errors. */
export function requestsSuite(where: string, connect: Connect): void {
  test(`${where}: an object is created, read, replaced, patched and deleted`, async (t) => {
    const { client, namespace } = await connect(t)
    const ref = { namespace, name: 'life' }
    const created = await client.create(ConfigMap, { metadata: ref, data: { a: '1' } })
    assert.equal(created.kind, 'ConfigMap')
    assert.equal(created.metadata.namespace, namespace)
    assert.deepEqual((await client.get(ConfigMap, ref)).data, { a: '1' })
    const replaced = await client.update(ConfigMap, { ...created, data: { b: '2' } })
    assert.notEqual(replaced.metadata.resourceVersion, created.metadata.resourceVersion)
    const merged = await client.patch(ConfigMap, ref, { data: { c: '3' } })
    assert.deepEqual(merged.data, { b: '2', c: '3' })
    const edited = await client.patch(ConfigMap, ref, [{ op: 'remove', path: '/data/b' }], { type: 'json' })
    assert.deepEqual(edited.data, { c: '3' })
    const joined = await client.patch(ConfigMap, ref, { metadata: { labels: { x: 'y' } } }, { type: 'strategic' })
    assert.deepEqual(joined.metadata.labels, { x: 'y' })
    await client.delete(ConfigMap, ref)
    assert.equal(await client.find(ConfigMap, ref), undefined)
    await client.ensureDeleted(ConfigMap, ref)
  })

  test(`${where}: errors have a reason`, async (t) => {
    const { client, namespace } = await connect(t)
    const ref = { namespace, name: 'there' }
    const first = await client.create(ConfigMap, { metadata: ref })
    await assert.rejects(client.get(ConfigMap, { namespace, name: 'not-there' }), isNotFound)
    await assert.rejects(client.create(ConfigMap, { metadata: ref }), isAlreadyExists)
    await client.update(ConfigMap, { ...first, data: { moved: 'on' } })
    await assert.rejects(client.update(ConfigMap, { ...first, data: { stale: 'yes' } }), isConflict)
    await assert.rejects(client.create(ConfigMap, { metadata: { namespace, name: 'Not A Name' } }), (error) => {
      assert(isInvalid(error))
      assert.equal((error as StatusError).status.details?.causes?.[0]?.field, 'metadata.name')
      return true
    })
    const uid = '00000000-0000-0000-0000-000000000000'
    await assert.rejects(client.delete(ConfigMap, ref, { preconditions: { uid } }), isConflict)
    await assert.rejects(client.getJson('/apis/no.such.group/v1/things'), isNotFound)
    assert.throws(() => client.create(ConfigMap, { metadata: { name: 'nowhere' } }), /set metadata.namespace/)
  })

  test(`${where}: a user without permissions is rejected`, async (t) => {
    const { client, namespace } = await connect(t)
    const headers = { 'impersonate-user': 'nobody-knows' }
    const asNobody = new KubeClient({
      request: (request) => client.raw({ ...request, headers: { ...request.headers, ...headers } }),
    })
    await assert.rejects(asNobody.get(Secret, { namespace, name: 'any' }), isForbidden)
  })

  test(`${where}: lists are selected and paged`, async (t) => {
    const { client, namespace } = await connect(t)
    for (let n = 0; n < 7; n++) {
      const labels = { parity: n % 2 === 0 ? 'even' : 'odd' }
      await client.create(Secret, { metadata: { namespace, name: `s${n}`, labels } })
    }
    const even = await client.list(Secret, { namespace, labelSelector: 'parity=even' })
    assert.deepEqual(
      even.items.map(({ kind, metadata }) => [kind, metadata.name]),
      [0, 2, 4, 6].map((n) => ['Secret', `s${n}`]),
    )
    const one = await client.list(Secret, { namespace, fieldSelector: 'metadata.name=s3' })
    assert.deepEqual(one.items.length, 1)
    const sizes: number[] = []
    for await (const page of client.pages(Secret, { namespace, limit: 3, labelSelector: 'parity' })) {
      sizes.push(page.items.length)
    }
    assert.deepEqual(sizes, [3, 3, 1])
    await client.deleteCollection(Secret, { namespace, labelSelector: 'parity=odd' })
    assert.equal((await client.list(Secret, { namespace, labelSelector: 'parity' })).items.length, 4)
  })

  test(`${where}: server-side apply owns fields, has conflicts and can be forced`, async (t) => {
    const { client, namespace } = await connect(t)
    const metadata = { namespace, name: 'applied' }
    await client.apply(ConfigMap, { metadata, data: { shared: 'one', mine: 'one' } }, { fieldManager: 'first' })
    const theirs = { metadata, data: { shared: 'two' } }
    await assert.rejects(client.apply(ConfigMap, theirs, { fieldManager: 'second' }), isConflict)
    const forced = await client.apply(ConfigMap, theirs, { fieldManager: 'second', force: true })
    assert.deepEqual(forced.data, { shared: 'two', mine: 'one' })
    const again = await client.apply(ConfigMap, theirs, { fieldManager: 'second' })
    assert.equal(again.metadata.resourceVersion, forced.metadata.resourceVersion)
    const without = await client.apply(ConfigMap, { metadata }, { fieldManager: 'first' })
    assert.deepEqual(without.data, { shared: 'two' })
  })

  test(`${where}: a dry run changes nothing, and strict validation rejects unknown fields`, async (t) => {
    const { client, namespace } = await connect(t)
    const metadata = { namespace, name: 'dry' }
    await client.create(ConfigMap, { metadata }, { dryRun: true })
    assert.equal(await client.find(ConfigMap, metadata), undefined)
    const odd = { metadata, surprise: true } as { metadata: typeof metadata }
    const strict = client.create(ConfigMap, odd, { fieldValidation: 'Strict' })
    await assert.rejects(strict, /unknown field "surprise"/)
  })

  test(`${where}: warnings of the server are delivered`, async (t) => {
    const { client, namespace } = await connect(t)
    const warnings: string[] = []
    const listening = new KubeClient(client.transport, { onWarning: (text) => void warnings.push(text) })
    const odd = { metadata: { namespace, name: 'odd' }, surprise: true } as { metadata: { name: string } }
    await listening.create(ConfigMap, odd, { fieldValidation: 'Warn' })
    assert.deepEqual(warnings, ['unknown field "surprise"'])
  })

  test(`${where}: subresources are written separately`, async (t) => {
    const { client, namespace } = await connect(t)
    const metadata = { namespace, name: 'parts' }
    const labels = { app: 'parts' }
    await client.create(Deployment, {
      metadata,
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'example.com/c' }] } },
      },
    })
    const scaled = await client.patch(Deployment, metadata, { spec: { replicas: 2 } }, { subresource: 'scale' })
    assert.equal(scaled.kind as string, 'Scale')
    assert.equal((await client.get(Deployment, metadata)).spec.replicas, 2)
    const marker = { conditions: [{ type: 'Tried', status: 'True' }] }
    const patched = await client.patch(Deployment, metadata, { status: marker }, { subresource: 'status' })
    assert(patched.status?.conditions?.some(({ type }) => type === 'Tried'))
    await client.delete(Deployment, metadata)
  })

  test(`${where}: a watch starts at a version, and ends on abort`, async (t) => {
    const { client, namespace } = await connect(t)
    const { resourceVersion } = await client.list(ConfigMap, { namespace })
    const stop = new AbortController()
    const seen: string[] = []
    const watched = (async () => {
      const options = { namespace, resourceVersion, fieldSelector: 'metadata.name=watched', signal: stop.signal }
      for await (const { type, object } of client.watch(ConfigMap, options)) {
        seen.push(`${type} ${object.data?.n}`)
        if (type === 'DELETED') stop.abort()
      }
    })()
    const metadata = { namespace, name: 'watched' }
    await client.create(ConfigMap, { metadata, data: { n: '1' } })
    await client.patch(ConfigMap, metadata, { data: { n: '2' } })
    await client.delete(ConfigMap, metadata)
    await watched
    assert.deepEqual(seen, ['ADDED 1', 'MODIFIED 2', 'DELETED 2'])
  })

  test(`${where}: a watch can start with existing objects`, async (t) => {
    const { client, namespace } = await connect(t)
    await client.create(ConfigMap, { metadata: { namespace, name: 'before' } })
    const events: WatchEvent<ConfigMap>[] = []
    const options = { namespace, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const
    for await (const event of client.watch(ConfigMap, { ...options, allowWatchBookmarks: true })) {
      events.push(event)
      if (event.type === 'BOOKMARK') break
    }
    assert(events.some(({ type, object }) => type === 'ADDED' && object.metadata.name === 'before'))
    assert.equal(events.at(-1)?.object.metadata.annotations?.['k8s.io/initial-events-end'], 'true')
  })

  test(`${where}: requests beyond a rate wait`, async (t) => {
    const { client, namespace } = await connect(t)
    const limited = new KubeClient(rateLimited(client.transport, { qps: 50, burst: 2 }))
    const startedAt = performance.now()
    const lists = Array.from({ length: 6 }, () => limited.list(ConfigMap, { namespace, limit: 1 }))
    await Promise.all(lists)
    assert.ok(performance.now() - startedAt >= 75, 'two at once, and four more with 20 ms before each')
  })

  test(`${where}: a namespace is deleted with its content`, { timeout: 120_000 }, async (t) => {
    const { client } = await connect(t)
    const name = uniqueName('passing')
    await client.create(Namespace, { metadata: { name } })
    await client.create(ConfigMap, { metadata: { namespace: name, name: 'inside' } })
    const { resourceVersion } = await client.list(Namespace, { fieldSelector: `metadata.name=${name}` })
    await client.delete(Namespace, { name })
    const options = { fieldSelector: `metadata.name=${name}`, resourceVersion }
    for await (const { type } of client.watch(Namespace, options)) if (type === 'DELETED') break
    assert.equal(await client.find(ConfigMap, { namespace: name, name: 'inside' }), undefined)
  })
}
