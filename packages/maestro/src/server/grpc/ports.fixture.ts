import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { MANIFEST_BUNDLES } from '../../codec/event-type.js'
import { Extension } from '../../codec/extensions.js'
import { jsonBytes, jsonData, newEvent } from '../../codec/new-event.js'
import { encodePublishRequest } from '../../codec/protobuf.js'
import { specResyncRequest, statusResyncRequest } from '../../codec/resync-events.js'
import type { Access } from '../access/access.js'
import { GrpcCode, MaestroError } from '../errors.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { configMap, spec, startServer, status } from '../testing/server.fixture.js'

const idOf = (event: CloudEvent) => event.extensions[Extension.ResourceId]
const versionOf = (event: CloudEvent) => event.extensions[Extension.ResourceVersion]
const actionOf = (event: CloudEvent) => event.type.slice(MANIFEST_BUNDLES.length + 1)
const isDeletion = (event: CloudEvent) => event.extensions[Extension.DeletionTimestamp] !== undefined
const failsWith = (code: number, text: RegExp) => (error: { code: number; details: string }) => {
  assert.match(error.details, text)
  assert.equal(error.code, code)
  return true
}

/** The tests of the ports, on the databases that `open` opens. */
export function testPorts(kind: string, open: OpenDatabase): void {
  type StartOptions = Pick<Parameters<typeof startServer>[1], 'access' | 'heartbeatSeconds' | 'recheckSeconds'>
  async function start(t: TestContext, options: StartOptions = {}) {
    const database = await open()
    const server = await startServer(t, { database, ...options })
    t.after(() => database.close())
    await server.core.consumers.create({ name: 'c1' })
    return server
  }

  test(`ports on ${kind}: carry a bundle to its agent, its status to its source, and its deletion both ways`, async (t) => {
    const { source, agent, core } = await start(t)
    const [works, statuses] = [agent.subscribe({ clusterName: 'c1' }), source.subscribe({ source: 's1' })]
    const others = source.subscribe({ source: 's2' })
    for (const stream of [works, statuses, others]) {
      assert.match(String((await stream.header).get('subscription-id')[0]), /^[0-9a-f-]{36}$/)
    }

    const manifests = [configMap('one', { text: 'ä "quoted" \\ €' })]
    await source.publish(spec('create', { id: 'b1', manifests }))
    const created = await works.next((event) => idOf(event) === 'b1')
    assert.equal(actionOf(created), 'spec.create_request')
    assert.equal(created.source, 'maestro')
    assert.equal(versionOf(created), 1)
    assert.equal(created.extensions[Extension.ClusterName], 'c1')
    assert.deepEqual(JSON.parse(String(created.extensions[Extension.Metadata])), {
      name: 'b1',
      namespace: 'c1',
      labels: { app: 'x' },
    })
    assert.deepEqual(jsonData(created), { manifests })

    await agent.publish(status({ id: 'b1', version: 1, sequence: 1 }))
    const reported = await statuses.next((event) => idOf(event) === 'b1')
    assert.equal(actionOf(reported), 'status.update_request')
    assert.equal(reported.source, 'c1-work-agent')
    assert.equal(reported.extensions[Extension.OriginalSource], 'maestro')
    assert.equal(JSON.parse(String(reported.extensions[Extension.Metadata])).name, 'work-b1')
    const data = jsonData(reported) as { manifestBundle: unknown; conditions: { type: string }[] }
    assert.deepEqual(data.manifestBundle, { manifests })
    assert.equal(data.conditions[0]?.type, 'Applied')

    await source.publish(spec('update', { id: 'b1', version: 1, manifests: [configMap('two')] }))
    const updated = await works.next((event) => versionOf(event) === 2)
    assert.equal(actionOf(updated), 'spec.update_request')

    await source.publish(spec('delete', { id: 'b1', version: 2 }))
    const deleted = await works.next(isDeletion)
    assert.equal(actionOf(deleted), 'spec.delete_request')
    assert.ok((await core.bundles.get('b1'))?.deletedAt)
    await agent.publish(status({ id: 'b1', version: 2, sequence: 2, condition: 'Deleted' }))
    const gone = await statuses.next(
      (event) => (jsonData(event) as { conditions: { type: string }[] }).conditions[0]?.type === 'Deleted',
    )
    assert.equal(idOf(gone), 'b1')
    assert.equal(await core.bundles.get('b1'), undefined)
    assert.deepEqual(others.events.filter(idOf), [])
  })

  test(`ports on ${kind}: refuse what Maestro refuses, with its texts and the codes of the problems`, async (t) => {
    const { source, agent } = await start(t)
    const rejects = (event: CloudEvent, code: number, text: RegExp) =>
      assert.rejects(source.publish(event), failsWith(code, text))
    await source.publish(spec('create', { id: 'b1' }))
    await rejects(
      spec('create', { id: 'b1' }),
      GrpcCode.alreadyExists,
      /^failed to create resource: maestro-6: This Resource already exists$/,
    )
    await rejects(
      spec('create', { id: 'b2', cluster: 'nowhere' }),
      GrpcCode.failedPrecondition,
      /^failed to create resource: maestro-9: Unable to create Resource: .*fk_resources_consumers/,
    )
    await rejects(
      spec('update', { id: 'missing' }),
      GrpcCode.notFound,
      /^failed to get resource: maestro-7: Resource with id='missing' not found$/,
    )
    await rejects(
      spec('update', { id: 'b1', version: 7 }),
      GrpcCode.aborted,
      /^failed to update resource: maestro-6: the resource version is not the latest, the latest version: 1$/,
    )
    await rejects(
      spec('update', { id: 'b1', source: 's2' }),
      GrpcCode.permissionDenied,
      /^failed to update resource: maestro-4: resource b1 does not belong to source "s2"$/,
    )
    await rejects(
      spec('create', { id: 'b3', manifests: [configMap('x'), configMap('x')] }),
      GrpcCode.invalidArgument,
      /^failed to create resource: maestro-8: the manifest bundle in the resource is invalid, duplicate manifest for resource default\/x with resource type v1.ConfigMap$/,
    )
    await rejects(
      spec('update', { id: 'b1', manifests: [{ kind: 'X', metadata: { name: 'x', generateName: 'y' } }] }),
      GrpcCode.invalidArgument,
      /maestro-8: the new manifest bundle in the resource is invalid, \[apiVersion: Required value: field not set, metadata.generateName: Forbidden: field cannot be set\]$/,
    )
    await source.publish(spec('delete', { id: 'b1' }))
    await source.publish(spec('delete', { id: 'b1' }))
    await source.publish(spec('delete', { id: 'missing' }))
    const { data: _data, ...withoutManifests } = spec('update', { id: 'b1' })
    for (const update of [spec('update', { id: 'b1' }), withoutManifests]) {
      await rejects(
        update,
        GrpcCode.failedPrecondition,
        /^failed to update resource: maestro-6: the resource is under deletion, id: b1$/,
      )
    }
    await rejects(
      { ...spec('create', { id: 'x' }), type: 'nonsense' },
      GrpcCode.invalidArgument,
      /^failed to parse cloud event type nonsense, /,
    )
    const { [Extension.ClusterName]: _, ...extensions } = spec('create', { id: 'x' }).extensions
    await rejects(
      { ...spec('create', { id: 'x' }), extensions },
      GrpcCode.invalidArgument,
      /^failed to decode cloudevent: failed to get clustername extension: /,
    )
    await rejects(
      { ...spec('create', { id: 'x' }), data: Buffer.from('{"manifests":[{"apiVersion":"v1","kind":"A",') },
      GrpcCode.invalidArgument,
      /^failed to create resource: maestro-8: the manifest bundle in the resource is invalid, failed to decode manifest bundle/,
    )
    const inside = '{"manifests":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"data":{"x":nul}}]}'
    await rejects(
      { ...spec('create', { id: 'x' }), data: Buffer.from(inside) },
      GrpcCode.invalidArgument,
      /^failed to create resource: maestro-8: the content is not valid JSON/,
    )
    const large = spec('create', { id: 'x', manifests: [configMap('x', { text: 'x'.repeat(4_300_000) })] })
    await rejects(large, GrpcCode.resourceExhausted, /larger than|exceeds/i)

    for (const client of [source, agent]) {
      for (const bytes of [Buffer.alloc(0), Buffer.from([0x0a, 0x00]), Buffer.from([0xff, 0xff, 0x01])]) {
        await assert.rejects(
          client.publishBytes(bytes),
          failsWith(GrpcCode.invalidArgument, /^failed to convert protobuf to cloudevent: /),
        )
      }
    }
    const failed = await agent.subscribe({}).failed
    assert.equal(failed.details, 'invalid subscription request: missing cluster name')
    assert.equal(failed.code, GrpcCode.invalidArgument)
  })

  test(`ports on ${kind}: one bad bundle of many at once does not fail the others`, async (t) => {
    const { source, core } = await start(t)
    const events = Array.from({ length: 20 }, (_, index) => spec('create', { id: `b${index}` }))
    const bad = {
      ...spec('create', { id: 'bad' }),
      data: Buffer.from('{"manifests":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":tru}]}'),
    }
    const results = await Promise.allSettled([...events, bad, ...events].map((event) => source.publish(event)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
    assert.equal(await core.bundles.count({ orderBy: 'id', limit: 1, offset: 0 }), 20)
  })

  test(`ports on ${kind}: drop statuses that are old, of other versions or unknown, and refuse those of others`, async (t) => {
    const { source, agent, core } = await start(t)
    await source.publish(spec('create', { id: 'b1' }))
    const sequenceOf = async () => Number(BigInt((await core.bundles.get('b1'))?.status?.sequenceId ?? 0) >> 22n)
    await agent.publish(status({ id: 'b1', version: 1, sequence: 5 }))
    await agent.publish(status({ id: 'b1', version: 1, sequence: 4 }))
    await agent.publish(status({ id: 'b1', version: 1, sequence: 5 }))
    await agent.publish(status({ id: 'b1', version: 2, sequence: 6 }))
    await agent.publish(status({ id: 'missing', version: 1, sequence: 6 }))
    assert.equal(await sequenceOf(), 5)
    await assert.rejects(
      agent.publish(status({ id: 'b1', version: 1, sequence: 9, cluster: 'c2' })),
      failsWith(GrpcCode.permissionDenied, /unmatched consumer name c2 for resource b1/),
    )
    // Nobody deletes it here: the bundle stays.
    await agent.publish(status({ id: 'b1', version: 1, sequence: 9, condition: 'Deleted' }))
    assert.equal(await sequenceOf(), 5)
    // The clock of the agent was set back before it reported the next version.
    await source.publish(spec('update', { id: 'b1' }))
    await agent.publish(status({ id: 'b1', version: 2, sequence: 2 }))
    assert.equal(await sequenceOf(), 2)
  })

  test(`ports on ${kind}: answer the resync of an agent`, async (t) => {
    const { source, agent } = await start(t)
    for (const id of ['current', 'old', 'new', 'deleting']) await source.publish(spec('create', { id }))
    await source.publish(spec('update', { id: 'old' }))
    await source.publish(spec('delete', { id: 'deleting' }))
    const works = agent.subscribe({ clusterName: 'c1' })
    await works.header
    const versions = new Map(Object.entries({ current: 1, old: 1, deleting: 1, gone: 3 }))
    await agent.publish(
      specResyncRequest({ agentId: 'c1-work-agent', clusterName: 'c1', originalSource: '', versions }),
    )
    await works.next((event) => idOf(event) === 'gone')
    const received = works.events.filter(idOf).map((event) => [idOf(event), actionOf(event), isDeletion(event)])
    assert.deepEqual(received.sort(), [
      ['deleting', 'spec.resync_response', true],
      ['gone', 'spec.resync_response', true],
      ['new', 'spec.resync_response', false],
      ['old', 'spec.resync_response', false],
    ])
  })

  test(`ports on ${kind}: answer the resync of a source`, async (t) => {
    const { source, agent } = await start(t)
    for (const [index, id] of ['same', 'changed', 'unasked'].entries()) {
      await source.publish(spec('create', { id }))
      await agent.publish(status({ id, version: 1, sequence: index + 1 }))
    }
    await source.publish(spec('create', { id: 'unreported' }))
    const first = source.subscribe({ source: 's1' })
    await first.header
    const hashes = new Map(Object.entries({ same: 'hash-1', changed: 'hash-0', unreported: 'x' }))
    await source.publish(statusResyncRequest({ source: 's1', clusterName: '', hashes }))
    await first.next((event) => idOf(event) === 'changed')
    assert.deepEqual(first.events.filter(idOf).map(idOf), ['changed'])
    await source.publish(statusResyncRequest({ source: 's1', clusterName: '', hashes: new Map() }))
    for (const id of ['same', 'unasked']) await first.next((event) => idOf(event) === id)
    assert.equal(first.events.filter(idOf).length, 4)
  })

  test(`ports on ${kind}: end subscriptions whose permission was revoked, and no others`, async (t) => {
    const revoked = new Set<string>()
    let [isDown, unanswered] = [false, 0]
    const access: Access = {
      authenticate: async () => ({ user: 'test', groups: [] }),
      async authorize(_, __, path) {
        if (isDown && ++unanswered > 0) throw new MaestroError('Unavailable', 'no answer')
        if (revoked.has(path)) throw new MaestroError('Forbidden')
      },
    }
    const { source, agent } = await start(t, { access, recheckSeconds: 0.1 })
    const [works, statuses] = [agent.subscribe({ clusterName: 'c1' }), source.subscribe({ source: 's1' })]
    const others = agent.subscribe({ clusterName: 'c2' })
    await Promise.all([works.header, statuses.header, others.header])
    isDown = true
    await eventually('all were checked twice', () => unanswered >= 6)
    isDown = false
    revoked.add('/clusters/c1').add('/sources/s1')
    const refusals = [await works.failed, await statuses.failed]
    for (const { code, details } of refusals) {
      assert.equal(code, GrpcCode.unavailable)
      assert.match(details, /^unauthorized to subscribe .*: subscribe again$/)
    }
    assert.equal((await agent.subscribe({ clusterName: 'c1' }).failed).code, GrpcCode.permissionDenied)
    revoked.add('/clusters/c2')
    assert.equal((await others.failed).code, GrpcCode.unavailable)
  })

  test(`ports on ${kind}: send heartbeats`, async (t) => {
    const { source, agent } = await start(t, { heartbeatSeconds: 0.1 })
    for (const stream of [source.subscribe({ source: 's1' }), agent.subscribe({ clusterName: 'c1' })]) {
      await stream.next(({ type }) => type === 'io.open-cluster-management.cloudevents.heartbeat')
    }
  })

  test(`ports on ${kind}: answer resync requests whose subscription is at another instance`, async (t) => {
    const database = await open()
    const [one, other] = [await startServer(t, { database }), await startServer(t, { database })]
    t.after(() => database.close())
    await one.core.consumers.create({ name: 'c1' })
    await one.source.publish(spec('create', { id: 'b1' }))
    await one.agent.publish(status({ id: 'b1', version: 1, sequence: 1 }))

    const works = one.agent.subscribe({ clusterName: 'c1' })
    await works.header
    // A connection that the agent has given up, at the instance that gets the request.
    const left = other.connectAgent().subscribe({ clusterName: 'c1' })
    await left.header
    const versions = new Map([['gone', 1]])
    const request = { agentId: 'c1-work-agent', clusterName: 'c1', originalSource: '', versions }
    await other.agent.publish(specResyncRequest(request))
    for (const id of ['b1', 'gone']) await works.next((event) => idOf(event) === id)

    const statuses = one.source.subscribe({ source: 's1' })
    await statuses.header
    await other.source.publish(statusResyncRequest({ source: 's1', clusterName: '', hashes: new Map() }))
    await statuses.next((event) => idOf(event) === 'b1')
  })

  test(`ports on ${kind}: answer a resync request that is at another instance before its subscription`, async (t) => {
    const database = await open()
    const [one, other] = [await startServer(t, { database }), await startServer(t, { database })]
    t.after(() => database.close())
    await one.core.consumers.create({ name: 'c1' })
    await one.source.publish(spec('create', { id: 'b1' }))
    const request = { agentId: 'a', clusterName: 'c1', originalSource: '', versions: new Map<string, number>() }
    await other.agent.publish(specResyncRequest(request))
    await one.agent.subscribe({ clusterName: 'c1' }).next((event) => idOf(event) === 'b1')
  })

  test(`ports on ${kind}: end the subscriptions of a consumer that is deleted, at every instance`, async (t) => {
    const database = await open()
    const [one, other] = [await startServer(t, { database }), await startServer(t, { database })]
    t.after(() => database.close())
    const { id } = await one.core.consumers.create({ name: 'c1' })
    const streams = [one, other].map(({ agent }) => agent.subscribe({ clusterName: 'c1' }))
    const unaffected = other.agent.subscribe({ clusterName: 'c2' })
    await Promise.all([...streams, unaffected].map(({ header }) => header))
    assert.equal(await one.core.consumers.delete(id), 'c1')
    for (const { failed } of streams) {
      const { code, details } = await failed
      assert.deepEqual([code, details], [GrpcCode.unavailable, 'the consumer was deleted'])
    }
    await one.core.consumers.create({ name: 'c2' })
    await one.source.publish(spec('create', { id: 'b2', cluster: 'c2' }))
    await unaffected.next((event) => idOf(event) === 'b2')
  })

  test(`ports on ${kind}: remove a consumer whose cluster is gone with its bundles, and tell their sources at every instance`, async (t) => {
    const database = await open()
    const [one, other] = [await startServer(t, { database }), await startServer(t, { database })]
    t.after(() => database.close())
    const { id } = await one.core.consumers.create({ name: 'c1' })
    await one.core.consumers.create({ name: 'c2' })
    const ids = Array.from({ length: 201 }, (_, index) => `b${index}`)
    await Promise.all(ids.map((bundle) => one.source.publish(spec('create', { id: bundle }))))
    await one.source.publish(spec('create', { id: 'kept', cluster: 'c2' }))
    await one.agent.publish(status({ id: 'b0', version: 1, sequence: 1 }))
    await one.source.publish(spec('delete', { id: 'b1', version: 1 }))
    const streams = [one, other].map(({ source }) => source.subscribe({ source: 's1' }))
    await Promise.all(streams.map(({ header }) => header))
    await assert.rejects(one.core.consumers.delete(id), /delete them first/)
    assert.equal(await one.core.consumers.delete(id, { force: true }), 'c1')
    for (const stream of streams) {
      const left = new Set<unknown>(ids)
      while (left.size > 0) {
        const gone = await stream.next((event) => left.delete(idOf(event)))
        const { conditions } = jsonData(gone) as { conditions: { type: string; reason: string }[] }
        assert.deepEqual([conditions[0]?.type, conditions[0]?.reason], ['Deleted', 'ConsumerDeleted'])
      }
    }
    const { rows, total } = await one.core.consumers.list({ orderBy: 'id', limit: 10, offset: 0 })
    assert.deepEqual([total, rows[0]?.name], [1, 'c2'])
    assert.equal(await one.core.bundles.get('b0'), undefined)
    assert.ok(await one.core.bundles.get('kept'))
    assert.equal(await one.core.consumers.delete(id, { force: true }), undefined)
  })

  test(`ports on ${kind}: tell subscribers of every instance`, async (t) => {
    const database = await open()
    const [one, other] = [await startServer(t, { database }), await startServer(t, { database })]
    t.after(() => database.close())
    await one.core.consumers.create({ name: 'c1' })
    const [works, statuses] = [other.agent.subscribe({ clusterName: 'c1' }), one.source.subscribe({ source: 's1' })]
    await Promise.all([works.header, statuses.header])
    await one.source.publish(spec('create', { id: 'b1' }))
    await works.next((event) => idOf(event) === 'b1')
    await other.agent.publish(status({ id: 'b1', version: 1, sequence: 1 }))
    await statuses.next((event) => idOf(event) === 'b1')
    await one.source.publish(spec('delete', { id: 'b1' }))
    await works.next(isDeletion)
    await other.agent.publish(status({ id: 'b1', version: 1, sequence: 2, condition: 'Deleted' }))
    await statuses.next((event) => String(event.data).includes('"Deleted"'))
  })

  test(`ports on ${kind}: give a slow agent the newest version of each bundle, and do not stall others`, async (t) => {
    const { source, agent, connectAgent } = await start(t)
    const slow = agent.subscribe({ clusterName: 'c1' })
    const quick = connectAgent().subscribe({ clusterName: 'c1' })
    await Promise.all([slow.header, quick.header])
    slow.pause()
    const text = 'x'.repeat(400_000)
    for (let index = 0; index < 10; index++) {
      await source.publish(spec('create', { id: `b${index}`, manifests: [configMap('x', { text })] }))
    }
    for (let index = 0; index < 10; index++) {
      await source.publish(spec('update', { id: `b${index}`, manifests: [configMap('x', { text })] }))
    }
    const isLast = (event: CloudEvent) => idOf(event) === 'b9' && versionOf(event) === 2
    await quick.next(isLast)
    slow.resume()
    await slow.next(isLast)
    const newest = new Map(slow.events.filter(idOf).map((event) => [idOf(event), versionOf(event)]))
    assert.deepEqual([...newest.values()], Array(10).fill(2))
  })

  test(`ports on ${kind}: tell a slow source of every removal, also of more than fits in memory`, async (t) => {
    const { source, agent, core } = await start(t)
    const statuses = source.subscribe({ source: 's1' })
    await statuses.header
    statuses.pause()
    const ids = Array.from({ length: 12 }, (_, index) => `b${index}`)
    const manifests = [configMap('large', { text: 'x'.repeat(1_000_000) })]
    for (const id of ids) {
      await source.publish(spec('create', { id, manifests }))
      await agent.publish(status({ id, version: 1, sequence: 1 }))
      await source.publish(spec('delete', { id, version: 1 }))
      await agent.publish(status({ id, version: 1, sequence: 2, condition: 'Deleted' }))
      assert.equal(await core.bundles.get(id), undefined)
    }
    statuses.resume()
    const left = new Set<unknown>(ids)
    const isRemoval = (event: CloudEvent) => String(event.data).includes('"type":"Deleted"')
    while (left.size > 0) await statuses.next((event) => isRemoval(event) && left.delete(idOf(event)))
  })

  test(`ports on ${kind}: refuse events of other types on the port of agents`, async (t) => {
    const { agent } = await start(t)
    const event = newEvent({
      source: 'x',
      subResource: 'spec',
      action: 'create_request',
      extensions: { [Extension.ClusterName]: 'c1' },
      data: jsonBytes({}),
    })
    await assert.rejects(agent.publish(event), failsWith(GrpcCode.invalidArgument, /unsupported event type/))
    const other = encodePublishRequest({ ...event, type: 'some.other.type.status.update_request' })
    await assert.rejects(
      agent.publishBytes(other),
      failsWith(GrpcCode.invalidArgument, /^failed to find service for event type some.other.type$/),
    )
  })
}
