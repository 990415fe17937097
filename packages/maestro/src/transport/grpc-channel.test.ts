import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ServerCredentials } from '@grpc/grpc-js'
import {
  altNamesOf,
  createAuthority,
  DistinguishedName,
  encodePem,
  generateKey,
  issueLeaf,
  NO_ALT_NAMES,
} from '@orrery/kube/pki'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { CloudEvent } from '../codec/cloud-event.js'
import { MANIFEST_BUNDLES } from '../codec/event-type.js'
import { Broker } from './broker.fixture.js'
import { GrpcChannel, type GrpcChannelOptions } from './grpc-channel.js'

const event: CloudEvent = { id: '1', source: 's', type: 't', extensions: { a: 'b' } }

function openChannel(t: TestContext, options: GrpcChannelOptions) {
  const channel = new GrpcChannel(options)
  t.after(() => channel.close())
  const seen = { events: [] as CloudEvent[], connected: 0, errors: [] as Error[] }
  const subscribe = () =>
    channel.subscribe(
      { clusterName: 'c1', dataType: MANIFEST_BUNDLES },
      {
        onEvent: (one) => seen.events.push(one),
        onConnected: () => seen.connected++,
        onDisconnected: (error) => seen.errors.push(error),
      },
    )
  return { channel, seen, subscribe }
}

test('GrpcChannel: publishes and receives events', async (t) => {
  const broker = await Broker.start(t)
  const { channel, seen, subscribe } = openChannel(t, { url: broker.url })
  const subscription = subscribe()
  await eventually('connected', () => seen.connected === 1)
  broker.sendHeartbeat()
  broker.sendBytes(Buffer.from([0xff]))
  broker.send(event)
  await eventually('received', () => seen.events.length > 0)
  assert.deepEqual(seen.events, [event])
  await channel.publish(event)
  assert.deepEqual(broker.published, [event])
  await subscription.close()
  await eventually('unsubscribed', () => broker.streams.size === 0)
})

test('GrpcChannel: an event that cannot be handled neither ends the process nor the subscription', async (t) => {
  const broker = await Broker.start(t)
  const channel = new GrpcChannel({ url: broker.url })
  t.after(() => channel.close())
  const seen: string[] = []
  let connections = 0
  channel.subscribe(
    { clusterName: 'c1', dataType: MANIFEST_BUNDLES },
    {
      onEvent: ({ id }) => {
        if (id === 'bad') throw new RangeError('Maximum call stack size exceeded')
        seen.push(id)
      },
      onConnected: () => connections++,
      onDisconnected: () => undefined,
    },
  )
  await eventually('connected', () => connections === 1)
  broker.send({ ...event, id: 'bad' })
  broker.send({ ...event, id: 'good' })
  await eventually('received', () => seen.length > 0)
  assert.deepEqual([seen, connections], [['good'], 1])
})

test('GrpcChannel: publish rejects with the error of the server', async (t) => {
  const onPublish = () => {
    throw new Error('not today')
  }
  const broker = await Broker.start(t, { onPublish })
  const { channel } = openChannel(t, { url: broker.url })
  await assert.rejects(channel.publish(event), /not today/)
})

test('GrpcChannel: publish ends with its signal, before and after the event is sent', async (t) => {
  let sent = 0
  const onPublish = () => {
    sent++
    return new Promise<void>(() => undefined)
  }
  const broker = await Broker.start(t, { onPublish })
  const { channel } = openChannel(t, { url: broker.url })
  const publish = () => {
    const stop = new AbortController()
    return { stop, published: channel.publish(event, { signal: stop.signal }) }
  }
  const unsent = publish()
  unsent.stop.abort()
  await assert.rejects(unsent.published, { name: 'AbortError' })
  assert.equal(sent, 0)
  const unanswered = publish()
  await eventually('the event is sent', () => sent === 1)
  unanswered.stop.abort()
  await assert.rejects(unanswered.published, { name: 'AbortError' })
})

test('GrpcChannel: a subscription that is closed while it connects ends', async (t) => {
  const broker = await Broker.start(t)
  const { channel, seen, subscribe } = openChannel(t, { url: broker.url })
  await subscribe().close()
  await channel.publish(event)
  assert.deepEqual([seen.connected, broker.streams.size], [0, 0])
})

test('GrpcChannel: subscribes again when the server comes back', async (t) => {
  const broker = await Broker.start(t)
  const { channel, seen, subscribe } = openChannel(t, { url: broker.url, random: () => 0 })
  subscribe()
  await eventually('connected', () => seen.connected === 1)
  broker.stop()
  await eventually('disconnected', () => seen.errors.length > 0)
  await assert.rejects(channel.publish(event))
  const next = await Broker.start(t, { port: broker.port })
  await eventually('connected again', () => seen.connected === 2)
  next.send(event)
  await eventually('received', () => seen.events.length === 1)
  await channel.publish(event)
})

test('GrpcChannel: subscribes again when a server that sent heartbeats sends nothing', async (t) => {
  const broker = await Broker.start(t)
  const clock = new FakeClock()
  const { seen, subscribe } = openChannel(t, { url: broker.url, clock, healthinessMilliseconds: 20_000 })
  subscribe()
  await eventually('connected', () => seen.connected === 1)
  await eventually('connected again', () => seen.connected > 1, { meanwhile: () => clock.advance(5_000) })
  assert.match(String(seen.errors[0]), /no heartbeat received for 20000 ms/)
})

test('GrpcChannel: rejects a token without TLS, and addresses that are none', () => {
  assert.throws(() => new GrpcChannel({ url: 'localhost:1', credentials: { token: { text: 'x' } } }), /clear text/)
  for (const url of ['', 'ftp://a:1', 'a:1/path/']) assert.throws(() => new GrpcChannel({ url }), RangeError)
})

test('GrpcChannel: a call without a connection names the address and the reason', async (t) => {
  const { channel, seen, subscribe } = openChannel(t, { url: 'http://127.0.0.1:1' })
  const reason = 'gRPC port 127.0.0.1:1: connection refused: nothing listens there'
  await assert.rejects(channel.publish(event), { name: 'ConnectionError', message: reason, code: 'ECONNREFUSED' })
  subscribe()
  await eventually('disconnected', () => seen.errors[0]?.message === reason)
})

test('GrpcChannel: verifies a server by its IP address without a warning, and names a certificate that is not trusted', async (t) => {
  const [notBefore, notAfter] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)]
  const authority = createAuthority('ca', generateKey().privateKey, notBefore, notAfter)
  const altNames = altNamesOf(['127.0.0.1'])
  const subject = DistinguishedName.of('server')
  const server = issueLeaf(authority, { subject, altNames, usages: ['server auth'], notBefore, notAfter })
  const pair = { private_key: Buffer.from(server.key), cert_chain: Buffer.from(server.certificate) }
  const broker = await Broker.start(t, { credentials: ServerCredentials.createSsl(null, [pair]) })
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const ca = { text: authority.certificatePem }

  await openChannel(t, { url: `https://127.0.0.1:${broker.port}`, credentials: { ca } }).channel.publish(event)
  assert.deepEqual([broker.published, warnings], [[event], []])
  const untrusted = /^gRPC port 127\.0\.0\.1:\d+: the certificate of the server is not signed by a trusted authority$/
  await assert.rejects(openChannel(t, { url: `https://127.0.0.1:${broker.port}` }).channel.publish(event), (error) => {
    assert.match((error as Error).message, untrusted)
    return true
  })
  await assert.rejects(
    openChannel(t, { url: `https://localhost:${broker.port}`, credentials: { ca } }).channel.publish(event),
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  )
})

test('GrpcChannel: sends the token in its file, and connects anew with another certificate', async (t) => {
  const files = mkdtempSync(join(tmpdir(), 'channel-'))
  t.after(() => rmSync(files, { recursive: true }))
  const file = (name: string) => ({ file: join(files, name) })
  const write = (name: string, text: string) => writeFileSync(join(files, name), text)
  const [notBefore, notAfter] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)]
  const authority = createAuthority('ca', generateKey().privateKey, notBefore, notAfter)
  const issue = (name: string, usage: string) => {
    const altNames = { ...NO_ALT_NAMES, dns: [name] }
    return issueLeaf(authority, { subject: DistinguishedName.of(name), altNames, usages: [usage], notBefore, notAfter })
  }
  const ca = encodePem('CERTIFICATE', authority.certificate.der)
  const writeClient = (name: string) => {
    const client = issue(name, 'client auth')
    write('certificate', client.certificate)
    write('key', client.key)
  }
  write('ca', ca)
  write('token', 'first\n')
  writeClient('agent-1')

  const server = issue('localhost', 'server auth')
  const pair = { private_key: Buffer.from(server.key), cert_chain: Buffer.from(server.certificate) }
  const tokens: unknown[] = []
  const broker = await Broker.start(t, {
    credentials: ServerCredentials.createSsl(Buffer.from(ca), [pair], true),
    onPublish: (_, metadata) => void tokens.push(metadata.get('authorization')[0]),
  })
  const credentials = { ca: file('ca'), certificate: file('certificate'), key: file('key'), token: file('token') }
  const { channel, seen, subscribe } = openChannel(t, { url: broker.url, credentials, rotationMilliseconds: 20 })
  subscribe()
  await eventually('connected', () => seen.connected === 1)
  await channel.publish(event)
  write('token', 'second\n')
  await channel.publish(event)
  assert.deepEqual(tokens, ['Bearer first', 'Bearer second'])
  rmSync(join(files, 'key'))
  writeClient('agent-2')
  await eventually('connected again', () => seen.connected === 2)
  assert.match(String(seen.errors[0]), /certificates have changed/)
  const [stream] = broker.streams
  const { sslPeerCertificate } = (stream as NonNullable<typeof stream>).getAuthContext()
  assert.equal(sslPeerCertificate?.subject.CN, 'agent-2')
})
