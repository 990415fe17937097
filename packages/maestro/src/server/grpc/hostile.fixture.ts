import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CloudEvent } from '../../codec/cloud-event.js'
import { Extension } from '../../codec/extensions.js'
import { bundleId } from '../../codec/ids.js'
import { jsonBytes, jsonData } from '../../codec/new-event.js'
import { GrpcCode } from '../errors.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { configMap, spec, startServer, status } from '../testing/server.fixture.js'

const failsWith = (code: number, text: RegExp) => (error: { code: number; details: string }) => {
  assert.match(error.details, text)
  assert.equal(error.code, code)
  return true
}

const MEGABYTE = 1_000_000

/** A status with feedback of this size. */
function largeStatus(id: string, bytes: number): CloudEvent {
  const event = status({ id, version: 1, sequence: 1 })
  const { conditions } = jsonData(event) as { conditions: unknown }
  return { ...event, data: jsonBytes({ conditions, resourceStatus: [{ text: 'x'.repeat(bytes) }] }) }
}

/** What one source or one agent can do to others. */
export function testHostileCallers(kind: string, open: OpenDatabase): void {
  async function start(t: TestContext) {
    const database = await open()
    const server = await startServer(t, { database })
    t.after(() => database.close())
    await server.core.consumers.create({ name: 'c1' })
    return server
  }

  test(`hostile callers on ${kind}: a source cannot take the id that the work of another source will have`, async (t) => {
    const { source, core } = await start(t)
    const id = bundleId('good', 'c1', 'db')
    const create = (from: string) => {
      const event = spec('create', { id, source: from })
      const metadata = JSON.stringify({ name: 'db', namespace: 'c1' })
      return source.publish({ ...event, extensions: { ...event.extensions, [Extension.Metadata]: metadata } })
    }
    await assert.rejects(create('evil'), failsWith(GrpcCode.permissionDenied, /does not belong to the work "db"/))
    await create('good')
    assert.equal((await core.bundles.get(id))?.source, 'good')
  })

  test(`hostile callers on ${kind}: no event is larger than what clients in Go receive`, async (t) => {
    const { source, agent } = await start(t)
    const [works, statuses] = [agent.subscribe({ clusterName: 'c1' }), source.subscribe({ source: 's1' })]
    await Promise.all([works.header, statuses.header])
    const manifests = (bytes: number) => [configMap('x', { text: 'x'.repeat(bytes) })]
    const large = spec('create', { id: 'large', manifests: manifests(4 * MEGABYTE) })
    await assert.rejects(source.publish(large), failsWith(GrpcCode.resourceExhausted, /the bundle has \d+ bytes/))
    await source.publish(spec('create', { id: 'b1', manifests: manifests(2 * MEGABYTE) }))
    await assert.rejects(
      agent.publish(largeStatus('b1', 3.9 * MEGABYTE)),
      failsWith(GrpcCode.resourceExhausted, /the status has \d+ bytes/),
    )
    await agent.publish(largeStatus('b1', 3 * MEGABYTE))
    // The clients of this test receive as much as those in Go.
    const event = await statuses.next(({ extensions }) => extensions[Extension.ResourceId] === 'b1')
    assert.deepEqual(Object.keys(jsonData(event) as object), ['conditions', 'resourceStatus'])
    await works.next(({ extensions }) => extensions[Extension.ResourceId] === 'b1')
  })

  test(`hostile callers on ${kind}: a client that does not read cannot open any number of subscriptions`, async (t) => {
    const { agent } = await start(t)
    const open = Array.from({ length: 256 }, () => agent.subscribe({ clusterName: 'c1' }))
    await Promise.all(open.map(({ header }) => header))
    const { code, details } = await agent.subscribe({ clusterName: 'c1' }).failed
    assert.equal(code, GrpcCode.resourceExhausted)
    assert.match(details, /c1 has 256 subscriptions/)
    await agent.subscribe({ clusterName: 'c2' }).header
    for (const stream of open) stream.close()
  })

  test(`hostile callers on ${kind}: JSON that is nested too deeply is refused before it is stored`, async (t) => {
    const { source, agent, core } = await start(t)
    const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`
    const event = spec('create', { id: 'deep' })
    const manifest = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"data":${deep}}`
    const deepEvents = [
      { ...event, data: Buffer.from(`{"manifests":[${manifest}]}`) },
      { ...event, data: Buffer.from(`{"manifests":[],"executer":${deep}}`) },
      { ...event, extensions: { ...event.extensions, [Extension.Metadata]: `{"annotations":${deep}}` } },
    ]
    const tooDeep = failsWith(GrpcCode.invalidArgument, /more than 1000 levels of nesting/)
    for (const one of deepEvents) await assert.rejects(source.publish(one), tooDeep)
    await source.publish(spec('create', { id: 'b1' }))
    const report = { ...status({ id: 'b1', version: 1, sequence: 1 }), data: Buffer.from(`{"resourceStatus":${deep}}`) }
    await assert.rejects(agent.publish(report), tooDeep)
    assert.equal((await core.bundles.get('b1'))?.version, 1)
  })

  test(`hostile callers on ${kind}: what a caller sent does not make an error too long for its client`, async (t) => {
    const { source, agent } = await start(t)
    const type = 'x'.repeat(MEGABYTE)
    for (const client of [source, agent]) {
      await assert.rejects(
        client.publish({ ...spec('create', { id: 'b1' }), type }),
        failsWith(GrpcCode.invalidArgument, /^failed to parse cloud event type x+…$/),
      )
    }
    const hash = { ...status({ id: 'b1', version: 1, sequence: 1 }).extensions, [Extension.StatusHash]: type }
    await assert.rejects(
      agent.publish({ ...status({ id: 'b1', version: 1, sequence: 1 }), extensions: hash }),
      failsWith(GrpcCode.invalidArgument, /statushash of resource b1 has more than 256 characters/),
    )
  })
}
