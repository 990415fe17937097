import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ManifestWork, ManifestWorkStatus } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { CloudEvent } from '../codec/cloud-event.js'
import { type EventAction, parseEventType } from '../codec/event-type.js'
import { readSpecResync, statusResyncRequest } from '../codec/resync-events.js'
import { statusHash } from '../codec/status-hash.js'
import { readStatusEvent, specEvent } from '../codec/work-events.js'
import type { Channel, SubscriptionHandlers } from '../transport/channel.js'
import { CloudEventSource } from './cloud-event-source.js'

const at = '2026-08-04T11:20:54Z'
const condition = (type: string, message = '') => ({
  type,
  status: 'True' as const,
  reason: 'R',
  message,
  lastTransitionTime: at,
})
const applied = (message = ''): ManifestWorkStatus => ({ conditions: [condition('Applied', message)] })

/** The server's end of a channel, in memory. */
class Peer implements Channel {
  readonly published: CloudEvent[] = []
  handlers!: SubscriptionHandlers
  /** Called before an event is acknowledged. */
  onPublish: (event: CloudEvent) => void | Promise<void> = () => undefined

  async publish(event: CloudEvent): Promise<void> {
    await this.onPublish(event)
    this.published.push(event)
  }

  subscribe(_: unknown, handlers: SubscriptionHandlers) {
    this.handlers = handlers
    return { close: async () => undefined }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  of(subResource: 'spec' | 'status'): CloudEvent[] {
    return this.published.filter(({ type }) => parseEventType(type)?.subResource === subResource)
  }

  send(
    version: number,
    { action = 'update_request' as EventAction, id = 'id-1', value = 'v', deleted = false } = {},
  ): void {
    const manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { value },
    }
    const metadata = { namespace: 'c1', ...(deleted && { deletionTimestamp: at }) }
    const work = { metadata, spec: { workload: { manifests: [manifest] } } }
    this.handlers.onEvent(
      specEvent({ source: 'maestro', action, resourceId: id, resourceVersion: version, work: work as never }),
    )
  }
}

function start(t: TestContext) {
  const peer = new Peer()
  const clock = new FakeClock()
  const source = new CloudEventSource({ channel: peer, clusterName: 'c1', hubHash: 'h', clock, random: () => 0 })
  t.after(() => source.close())
  const work = (name = 'id-1') => source.works.get({ namespace: 'c1', name })
  const value = (name = 'id-1') =>
    (work(name)?.spec?.workload?.manifests?.[0] as { data?: { value: string } })?.data?.value
  const connect = async () => {
    const before = peer.of('spec').length
    peer.handlers.onConnected()
    clock.advance(0)
    await eventually('resynced', () => peer.of('spec').length > before)
  }
  return { peer, clock, source, work, value, connect }
}

test('CloudEventSource: is synced when it has connected, and requests works', async (t) => {
  const { peer, clock, source, connect } = start(t)
  assert.equal(source.works.synced, false)
  await connect()
  assert.equal(source.works.synced, true)
  peer.send(3)
  clock.advance(2_000)
  await eventually('resynced again', () => peer.of('spec').length === 2)
  const [first, second] = peer.of('spec').map(readSpecResync)
  assert.deepEqual(first, new Map())
  assert.deepEqual(second, new Map([['id-1', 3]]))
  clock.advance(299_000)
  assert.equal(peer.of('spec').length, 2)
  clock.advance(1_000)
  await eventually('resynced regularly', () => peer.of('spec').length === 3)
})

test('CloudEventSource: names a work by its resource ID, with the version as generation', async (t) => {
  const { peer, connect, work } = start(t)
  await connect()
  peer.send(3)
  const { metadata } = work() as ManifestWork
  assert.equal(metadata.namespace, 'c1')
  assert.equal(metadata.uid, 'id-1')
  assert.equal(metadata.generation, 3)
  assert.equal(metadata.labels?.['cloudevents.open-cluster-management.io/originalsource'], 'maestro')
})

test('CloudEventSource: ignores duplicated and reordered events', async (t) => {
  const { peer, connect, value } = start(t)
  await connect()
  peer.send(2, { value: 'two' })
  peer.send(1, { value: 'one', action: 'create_request' })
  peer.send(2, { value: 'other' })
  assert.equal(value(), 'two')
  peer.send(3, { value: 'three' })
  assert.equal(value(), 'three')
})

test('CloudEventSource: takes an older version as the answer to a newer one, because the work was created again', async (t) => {
  const { peer, connect, value, work } = start(t)
  await connect()
  peer.send(5, { value: 'five' })
  peer.send(1, { value: 'late', action: 'resync_response' })
  assert.equal(value(), 'five')
  await connect()
  peer.send(1, { value: 'new', action: 'resync_response' })
  assert.equal(value(), 'new')
  assert.equal(work()?.metadata.generation, 1)
})

test('CloudEventSource: keeps works and statuses without a connection, and sends what was not sent', async (t) => {
  const { peer, connect, work, source } = start(t)
  await connect()
  peer.send(1)
  peer.onPublish = () => {
    throw new Error('unreachable')
  }
  peer.handlers.onDisconnected(new Error('lost'))
  const known = work() as ManifestWork
  await assert.rejects(
    source.writeStatus(known, () => applied('first')),
    /unreachable/,
  )
  await assert.rejects(
    source.writeStatus(known, () => applied('second')),
    /unreachable/,
  )
  assert.equal(await source.exists('id-2'), true)
  peer.onPublish = () => undefined
  await connect()
  await eventually('sent', () => peer.of('status').length === 1)
  const sent = readStatusEvent(peer.of('status')[0] as CloudEvent)
  assert.equal(sent.status.conditions?.[0]?.message, 'second')
  await eventually('stored', () => work()?.status !== undefined)
  await source.writeStatus(known, () => applied('second'))
  assert.equal(peer.of('status').length, 1)
})

test('CloudEventSource: sends a status once, with the version of the work', async (t) => {
  const { peer, connect, work, source } = start(t)
  await connect()
  peer.send(4)
  const known = work() as ManifestWork
  await Promise.all([1, 2, 3].map(() => source.writeStatus(known, () => applied())))
  await source.writeStatus(known, ({ status }) => status)
  const [event, ...others] = peer.of('status')
  assert.equal(others.length, 0)
  assert.equal(event?.source, 'c1-work-agent')
  assert.equal(event?.extensions.originalsource, 'maestro')
  const { resourceId, resourceVersion, sequenceId } = readStatusEvent(event as CloudEvent)
  assert.deepEqual({ resourceId, resourceVersion }, { resourceId: 'id-1', resourceVersion: 4 })
  assert.match(sequenceId, /^\d{15,}$/)
  assert.deepEqual(work()?.status, applied())
})

test('CloudEventSource: a spec that comes while a status is sent is not undone', async (t) => {
  const { peer, connect, work, value, source } = start(t)
  await connect()
  peer.send(1)
  peer.onPublish = () => peer.send(2, { value: 'two' })
  await source.writeStatus(work() as ManifestWork, () => applied())
  assert.equal(value(), 'two')
  assert.equal(work()?.metadata.generation, 2)
  assert.equal(work()?.status, undefined)
})

test('CloudEventSource: finishes a deletion with the condition Deleted', async (t) => {
  const { peer, connect, work, source } = start(t)
  await connect()
  peer.send(1)
  peer.send(1, { action: 'delete_request', deleted: true })
  const deleting = work() as ManifestWork
  assert.equal(deleting.metadata.deletionTimestamp, at)
  assert.equal(deleting.spec?.workload?.manifests?.length, 1)
  assert.equal(source.isHeld(), true)
  await source.release(deleting)
  const { status } = readStatusEvent(peer.of('status')[0] as CloudEvent)
  assert.equal(findCondition(status.conditions, 'Deleted')?.reason, 'ManifestsDeleted')
  assert.equal(work(), undefined)
  await source.release(deleting)
  assert.equal(peer.of('status').length, 1)
})

test('CloudEventSource: a deletion is not undone by other events, and the work is requested again afterwards', async (t) => {
  const { peer, clock, connect, work, source } = start(t)
  await connect()
  peer.send(2)
  peer.send(2, { action: 'delete_request', deleted: true })
  peer.send(1, { action: 'create_request' })
  peer.send(3)
  assert.ok(work()?.metadata.deletionTimestamp)
  await source.release(work() as ManifestWork)
  clock.advance(0)
  await eventually('requested again', () => peer.of('spec').length === 2)
})

test('CloudEventSource: deletes a work that it did not have, and reports nothing about one that the server does not know', async (t) => {
  const { peer, connect, work, source } = start(t)
  await connect()
  peer.send(7, { action: 'resync_response', deleted: true })
  await source.release(work() as ManifestWork)
  assert.equal(readStatusEvent(peer.of('status')[0] as CloudEvent).resourceVersion, 7)
  peer.send(1, { id: 'id-2' })
  const event = specEvent({
    source: 'source',
    action: 'resync_response',
    resourceId: 'id-2',
    resourceVersion: 0,
    work: { metadata: { namespace: 'c1', deletionTimestamp: at } },
  })
  const { resourceversion: _, ...extensions } = event.extensions
  peer.handlers.onEvent({ ...event, extensions })
  assert.ok(work('id-2')?.metadata.deletionTimestamp)
  await source.release(work('id-2') as ManifestWork)
  assert.equal(work('id-2'), undefined)
  assert.equal(peer.of('status').length, 1)
})

test('CloudEventSource: answers a request for statuses with those that differ', async (t) => {
  const { peer, connect, work, source } = start(t)
  await connect()
  for (const id of ['same', 'other', 'unlisted', 'without']) peer.send(1, { id })
  for (const id of ['same', 'other', 'unlisted']) await source.writeStatus(work(id) as ManifestWork, () => applied(id))
  const ask = (hashes: Map<string, string>, from = 'maestro') =>
    peer.handlers.onEvent(statusResyncRequest({ source: from, clusterName: 'c1', hashes }))
  const answers = () =>
    peer.published
      .filter(({ type }) => type.endsWith('status.resync_response'))
      .map(({ extensions }) => extensions.resourceid)
  ask(
    new Map([
      ['same', statusHash(applied('same'))],
      ['other', 'x'],
      ['without', 'x'],
    ]),
  )
  ask(new Map(), 'another-source')
  await eventually('answered', () => answers().length > 0)
  assert.deepEqual(answers(), ['other'])
  ask(new Map())
  await eventually('answered all', () => answers().length === 4)
  assert.deepEqual(answers().slice(1).sort(), ['other', 'same', 'unlisted'])
})

test('CloudEventSource: reports a work that is not valid and keeps the one before', async (t) => {
  const { peer, connect, work, value } = start(t)
  await connect()
  peer.send(1, { value: 'one' })
  const spec = { workload: { manifests: [] }, deleteOption: { propagationPolicy: 'Sometimes' } }
  peer.handlers.onEvent(
    specEvent({
      source: 'maestro',
      action: 'update_request',
      resourceId: 'id-1',
      resourceVersion: 2,
      work: { metadata: { namespace: 'c1' }, spec: spec as never },
    }),
  )
  await eventually('reported', () => peer.of('status').length === 1)
  const { resourceVersion, status } = readStatusEvent(peer.of('status')[0] as CloudEvent)
  assert.equal(resourceVersion, 2)
  assert.match(
    findCondition(status.conditions, 'Applied')?.message ?? '',
    /not valid: spec.deleteOption.propagationPolicy/,
  )
  assert.equal(value(), 'one')
  assert.equal(work()?.metadata.generation, 1)
})

test('CloudEventSource: ignores events of other clusters, of other kinds, and broken ones', async (t) => {
  const { peer, connect, source } = start(t)
  await connect()
  const event = specEvent({
    source: 'maestro',
    action: 'create_request',
    resourceId: 'id-1',
    resourceVersion: 1,
    work: { metadata: { namespace: 'c2' } },
  })
  peer.handlers.onEvent(event)
  peer.handlers.onEvent({ ...event, type: 'io.open-cluster-management.addons.v1alpha1.addons.spec.create_request' })
  peer.handlers.onEvent({ ...event, extensions: {} })
  peer.handlers.onEvent({ ...event, data: Buffer.from('{') })
  assert.equal(source.works.size, 0)
})

test('CloudEventSource: a work exists until the server had time to send it', async (t) => {
  const { clock, connect, source } = start(t)
  assert.equal(await source.exists('gone'), true)
  await connect()
  assert.equal(await source.exists('gone'), true)
  clock.advance(60_000)
  assert.equal(await source.exists('gone'), false)
})
