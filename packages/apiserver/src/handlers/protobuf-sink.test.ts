import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { BYTES, Reader } from '@orrery/kube/protobuf'
import { decodeProtobuf } from '../protobuf/index.js'
import type { PathClient } from '../testing/path-client.fixture.js'
import { testServer } from '../testing/test-server.fixture.js'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

interface Event {
  readonly type: string
  readonly object: JsonObject
}

/**
 * Decodes frames: a length, then a WatchEvent with its type (1) and a RawExtension (2) that contains the object (1).
 */
function eventsOf(bytes: Buffer): Event[] {
  const events: Event[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    events.push(eventOf(new Reader(bytes.subarray(at + 4, at + 4 + length))))
    at += 4 + length
  }
  return events
}

function eventOf(reader: Reader): Event {
  let type = ''
  let object: JsonObject = {}
  while (!reader.isDone) {
    const tag = reader.tag()
    if (tag === ((1 << 3) | BYTES)) type = reader.string()
    else {
      const end = reader.enter()
      reader.tag()
      object = decodeProtobuf(Buffer.from(reader.bytes()))
      reader.leave(end)
    }
  }
  return { type, object }
}

/** Returns the first chunk of a watch, or the whole error. */
async function watch(client: PathClient, path: string, accept: string) {
  const stop = new AbortController()
  const response = await client.request({
    method: 'GET',
    path: `${path}&watch=1`,
    headers: { accept },
    signal: stop.signal,
  })
  const { status, headers, body } = response
  for await (const bytes of body) {
    stop.abort()
    return { status, type: headers['content-type'], bytes }
  }
  throw new Error('the watch ended without a word')
}

test('protobufSink: serves watches to clients that accept only protobuf', async (t) => {
  const { client } = await testServer(t)
  const path = '/api/v1/namespaces/default/configmaps'
  await client.create(path, { metadata: { name: 'a' }, data: { k: 'v' } })
  const { status, type, bytes } = await watch(client, `${path}?fieldSelector=metadata.name=a`, PROTOBUF)
  assert.equal(status, 200)
  assert.equal(type, `${PROTOBUF};stream=watch`)
  const [event] = eventsOf(bytes)
  assert.equal(event?.type, 'ADDED')
  assert.equal(event.object.kind, 'ConfigMap')
  assert.deepEqual(event.object.data, { k: 'v' })
})

test('protobufSink: sends errors as protobuf', async (t) => {
  const { client, server } = await testServer(t)
  const path = '/api/v1/namespaces/default/configmaps'
  await client.create(path, { metadata: { name: 'a' } })
  await server.compact()
  const { bytes } = await watch(client, `${path}?resourceVersion=1`, PROTOBUF)
  const [event] = eventsOf(bytes)
  assert.equal(event?.type, 'ERROR')
  assert.equal(event.object.code, 410)
})

test('watch: refuses YAML, and tables as protobuf', async (t) => {
  const { client } = await testServer(t)
  const path = '/api/v1/namespaces?limit=1'
  assert.equal((await watch(client, path, 'application/yaml')).status, 406)
  assert.equal((await watch(client, path, `${PROTOBUF};as=Table;v=v1;g=meta.k8s.io`)).status, 406)
  assert.equal((await watch(client, path, 'application/yaml, application/json')).type, 'application/json')
})
