import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { anyEvent } from './events.fixture.js'
import {
  decodeCloudEvent,
  decodePublishRequest,
  decodeSubscriptionRequest,
  encodeCloudEvent,
  encodePublishRequest,
  encodeSubscriptionRequest,
  heartbeat,
  isHeartbeat,
} from './protobuf.js'
import { encodeStructured } from './structured-json.js'

const event: CloudEvent = {
  id: 'a6b2c4d8-0000-4000-8000-000000000001',
  source: 'mw-client',
  type: 'io.open-cluster-management.works.v1alpha1.manifestbundles.spec.create_request',
  time: new Date('2026-08-04T11:20:54.123Z'),
  subject: 'sub',
  dataSchema: 'https://example.com/schema',
  dataContentType: 'application/json',
  extensions: {
    resourceid: '55c61e54-a3f6-563d-9fec-b1fe297bdfdb',
    resourceversion: 7,
    negative: -3,
    clustername: 'größe',
    flag: true,
    off: false,
    zero: 0,
    empty: '',
    raw: Buffer.from([0, 255, 1]),
    deletiontimestamp: new Date('1969-12-31T23:59:58.500Z'),
  },
  data: Buffer.from('{"manifests":[]}'),
}

/** Written by Go's protobuf and the CloudEvents client of Open Cluster Management, with sorted map keys. */
const EVENT_BYTES =
  '0a2461366232633464382d303030302d343030302d383030302d30303030303030303030303112096d772d636c69656e741a03312e30224d' +
  '696f2e6f70656e2d636c75737465722d6d616e6167656d656e742e776f726b732e7631616c706861312e6d616e696665737462756e646c65' +
  '732e737065632e6372656174655f726571756573742a1b0a0e63652d636c75737465726e616d6512091a076772c3b6c39f652a2d0a0d6365' +
  '2d64617461736368656d61121c1a1a68747470733a2f2f6578616d706c652e636f6d2f736368656d612a2b0a1463652d64656c6574696f6e' +
  '74696d657374616d7012133a1108feffffffffffffffff011080cab5ee012a0e0a0863652d656d70747912021a002a0d0a0763652d666c61' +
  '67120208012a1a0a0b63652d6e65676174697665120b10fdffffffffffffffff012a0c0a0663652d6f6666120208002a0f0a0663652d7261' +
  '771205220300ff012a370a0d63652d7265736f75726365696412261a2435356336316535342d613366362d353633642d396665632d623166' +
  '6532393762646664622a180a1263652d7265736f7572636576657273696f6e120210072a130a0a63652d7375626a65637412051a03737562' +
  '2a180a0763652d74696d65120d3a0b089696c7d30610c0a9d33a2a0d0a0763652d7a65726f120210002a210a0b636f6e74656e7474797065' +
  '12121a106170706c69636174696f6e2f6a736f6e32107b226d616e696665737473223a5b5d7d'

/** Writes one field whose value has a length. Short values only. */
const field = (number: number, value: string | Buffer) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

test('encodeCloudEvent: writes the bytes of the Go client', () => {
  assert.equal(encodeCloudEvent(event).toString('hex'), EVENT_BYTES)
})

test('decodeCloudEvent: reads the bytes of the Go client', () => {
  assert.deepEqual(decodeCloudEvent(Buffer.from(EVENT_BYTES, 'hex')), event)
})

test('encodePublishRequest: wraps the event', () => {
  const bytes = encodePublishRequest(event)
  assert.equal(bytes.toString('hex'), `0a9e04${EVENT_BYTES}`)
  assert.deepEqual(decodePublishRequest(bytes), event)
})

test('encodeSubscriptionRequest: writes the bytes of the Go client', () => {
  const request = { source: 'maestro', clusterName: 'c1', dataType: 'a.b.c' }
  const bytes = encodeSubscriptionRequest(request)
  assert.equal(bytes.toString('hex'), '0a076d61657374726f120263311a05612e622e63')
  assert.deepEqual(decodeSubscriptionRequest(bytes), request)
  assert.deepEqual(decodeSubscriptionRequest(Buffer.alloc(0)), { source: '', clusterName: '', dataType: '' })
})

test('heartbeat: is an event without attributes that is read as a heartbeat', () => {
  const read = decodeCloudEvent(heartbeat())
  assert.ok(isHeartbeat(read))
  assert.match(read.id, /^[0-9a-f-]{36}$/)
  assert.ok(!isHeartbeat(event))
})

test('decodeCloudEvent: restores every event', () => {
  fc.assert(fc.property(anyEvent(), (one) => assert.deepEqual(decodeCloudEvent(encodeCloudEvent(one)), one)))
})

test('decodeCloudEvent: reads an event in structured JSON', () => {
  const inner = { id: '1', source: 's', type: 't', extensions: { a: 'b' } }
  const withContentType = (contentType: string) =>
    Buffer.concat([
      field(5, Buffer.concat([field(1, 'contenttype'), field(2, field(3, contentType))])),
      field(6, encodeStructured(inner)),
    ])
  assert.deepEqual(decodeCloudEvent(withContentType('application/cloudevents+json')), inner)
  const avro = withContentType('application/cloudevents+avro')
  assert.throws(() => decodeCloudEvent(avro), new CodecError('unknown Message encoding'))
})

test('decodeCloudEvent: ignores attributes without the prefix and unknown fields', () => {
  const attribute = (key: string) => field(5, Buffer.concat([field(1, key), field(2, field(3, 'v'))]))
  const bytes = Buffer.concat([field(3, '1.0'), attribute('plain'), attribute('ce-kept'), field(15, 'unknown')])
  assert.deepEqual(decodeCloudEvent(bytes).extensions, { kept: 'v' })
})

for (const [problem, bytes, message] of [
  ['no bytes', Buffer.alloc(0), /^unknown Message encoding$/],
  ['no attributes', Buffer.concat([field(3, '1.0'), field(4, 't')]), /^unknown Message encoding$/],
  ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), /invalid wire-format data/],
  ['a length of 64 bits', Buffer.from('0affffffffffffffffff01', 'hex'), /invalid wire-format data/],
  ['an endless varint', Buffer.from('08ffffffffffffffffffffff', 'hex'), /invalid wire-format data/],
  ['field 0', Buffer.from([0x02, 0x00]), /invalid wire-format data/],
  ['invalid UTF-8', field(1, Buffer.from([0xff])), /invalid UTF-8/],
  ['an attribute without a value', field(5, field(1, 'ce-a')), /failed to convert attribute ce-a/],
  [
    'a name that CloudEvents forbid',
    Buffer.concat([field(3, '1.0'), field(5, Buffer.concat([field(1, 'ce-__proto__'), field(2, field(3, 'v'))]))]),
    /bad key "__proto__"/,
  ],
] as const) {
  test(`decodeCloudEvent: rejects ${problem}`, () => {
    assert.throws(
      () => decodeCloudEvent(bytes),
      (error) => error instanceof CodecError && message.test(error.message),
    )
  })
}

test('decodePublishRequest: rejects a request without an event', () => {
  assert.throws(() => decodePublishRequest(Buffer.alloc(0)), new CodecError('the PublishRequest has no event'))
  assert.throws(() => decodePublishRequest(Buffer.from([0x0a, 0x00])), new CodecError('unknown Message encoding'))
})

test('decodePublishRequest, decodeSubscriptionRequest: throw nothing but CodecError for any bytes', () => {
  const whole = encodePublishRequest(event)
  const damaged = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, value] of changes) bytes[at] = value
      return bytes
    })
  const cut = fc.nat(whole.length).map((length) => whole.subarray(0, length))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged, cut), (bytes) => {
      for (const decode of [decodePublishRequest, decodeCloudEvent, decodeSubscriptionRequest]) {
        try {
          decode(bytes)
        } catch (error) {
          assert.ok(error instanceof CodecError, String(error))
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('encodeCloudEvent: rejects numbers and times that CloudEvents do not have', () => {
  const withValue = (value: number | Date) => ({ ...event, extensions: { value } })
  assert.throws(() => encodeCloudEvent(withValue(2 ** 31)), new CodecError('2147483648 is out of range'))
  assert.throws(() => encodeCloudEvent(withValue(new Date(Number.NaN))), new CodecError('the time is not valid'))
})
