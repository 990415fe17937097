import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ConfigMap, Secret } from '@orrery/kinds'
import { KubeClient as Client, Informers, type KubeClient } from '@orrery/kube'
import type { HttpRequest } from '@orrery/kube/client'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../../support/server.js'
import type { Connect } from './subject.js'

function informersOf(t: Pick<TestContext, 'after'>, client: KubeClient): Informers {
  const informers = new Informers(client)
  afterwards(t, () => informers.close())
  return informers
}

/** Tests of informers. */
export function informersSuite(where: string, connect: Connect): void {
  test(`${where}: an informer lists existing objects and follows changes`, async (t) => {
    const { client, namespace } = await connect(t)
    await client.create(Secret, { metadata: { namespace, name: 'early' } })
    const informer = informersOf(t, client).of(Secret, { namespace })
    const told: string[] = []
    informer.subscribe(({ type, after, before }) => {
      const name = (after ?? before)?.metadata.name
      told.push(`${type} ${name}`)
    })
    await informer.whenSynced()
    assert.equal(informer.get({ namespace, name: 'early' })?.kind, 'Secret')
    await client.create(Secret, { metadata: { namespace, name: 'late' } })
    await client.patch(Secret, { namespace, name: 'late' }, { metadata: { labels: { a: 'b' } } })
    await client.delete(Secret, { namespace, name: 'early' })
    await eventually('everything was delivered', () => told.length === 4)
    assert.deepEqual(told, ['added early', 'added late', 'updated late', 'deleted early'])
    assert.deepEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ['late'],
    )
  })

  test(`${where}: an index is kept up to date, and late subscribers get everything`, async (t) => {
    const { client, namespace } = await connect(t)
    for (const name of ['a', 'b', 'c']) {
      await client.create(Secret, { metadata: { namespace, name, labels: { team: name === 'c' ? 'red' : 'blue' } } })
    }
    const informer = informersOf(t, client).of(Secret, { namespace, labelSelector: 'team' })
    informer.addIndex('team', ({ metadata }) => [metadata.labels?.team ?? ''])
    await informer.whenSynced()
    assert.equal(informer.byIndex('team', 'blue').length, 2)
    await client.patch(Secret, { namespace, name: 'b' }, { metadata: { labels: { team: 'red' } } })
    await eventually('b has changed sides', () => informer.byIndex('team', 'red').length === 2)
    assert.equal(informer.byIndex('team', 'blue').length, 1)
    await client.patch(Secret, { namespace, name: 'a' }, { metadata: { labels: { team: null } } })
    await eventually('a is no longer selected', () => informer.size === 2)
    const heard: string[] = []
    informer.subscribe(({ type, after, initial }) => void heard.push(`${type} ${after?.metadata.name} ${initial}`))
    assert.deepEqual(heard.sort(), ['added b true', 'added c true'])
  })

  test(`${where}: an informer of metadata keeps only metadata`, async (t) => {
    const { client, namespace } = await connect(t)
    await client.create(ConfigMap, { metadata: { namespace, name: 'big' }, data: { big: 'x'.repeat(10_000) } })
    const informer = informersOf(t, client).metadataOf(ConfigMap, { namespace, fieldSelector: 'metadata.name=big' })
    await informer.whenSynced()
    const object = informer.get({ namespace, name: 'big' })
    assert.equal(object?.kind, 'ConfigMap')
    assert(object !== undefined && !('data' in object))
  })

  test(`${where}: an informer falls back to a list on a server without streaming lists`, async (t) => {
    const { client, namespace } = await connect(t)
    await client.create(Secret, { metadata: { namespace, name: 'listed' } })
    const asked: string[] = []
    const older = new Client({
      request(request: HttpRequest) {
        asked.push(request.path)
        const path = request.path.includes('sendInitialEvents') ? '/apis/no.such.group/v1/things' : request.path
        return client.transport.request({ ...request, path })
      },
    })
    const informer = informersOf(t, older).of(Secret, { namespace })
    await informer.whenSynced()
    assert.equal(informer.size, 1)
    await client.create(Secret, { metadata: { namespace, name: 'watched' } })
    await eventually('the watch continues from the list', () => informer.size === 2)
    assert(asked.some((path) => path.includes('limit=')))
  })
}
