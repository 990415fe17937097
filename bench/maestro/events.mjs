// The CloudEvents of sources and agents, as protobuf bytes.
import { createHash, randomUUID } from 'node:crypto'

const BUNDLES = 'io.open-cluster-management.works.v1alpha1.manifestbundles'
const RESOURCE_ID = Buffer.from('ce-resourceid')
export const SERVER_SOURCE = 'maestro'

function varint(value) {
  const bytes = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
const text = (number, value) => field(number, Buffer.from(value))

/** A map entry with an attribute: a time, an int32 or a string. */
function attribute(name, value) {
  let encoded
  if (value instanceof Date) encoded = field(7, Buffer.concat([varint(8), varint(Math.floor(value.getTime() / 1000))]))
  else if (typeof value === 'number') encoded = Buffer.concat([varint(16), varint(value)])
  else encoded = text(3, value)
  return field(5, Buffer.concat([text(1, name), field(2, encoded)]))
}

function publishRequest({ source, action, extensions, data }) {
  const event = [text(1, randomUUID()), text(2, source), text(3, '1.0'), text(4, `${BUNDLES}.${action}`)]
  event.push(attribute('ce-time', new Date()))
  for (const [name, value] of Object.entries(extensions)) event.push(attribute(`ce-${name}`, value))
  if (data !== undefined) event.push(attribute('contenttype', 'application/json'), field(6, data))
  return field(1, Buffer.concat(event))
}

/** The bytes of a SubscriptionRequest. */
export const subscriptionOf = ({ source = '', cluster = '' }) =>
  Buffer.concat([text(1, source), text(2, cluster), text(3, BUNDLES)])

/** A UUIDv5, as the SDK makes from the name of a work. */
export function bundleId(source, consumer, name) {
  const namespace = Buffer.from('6ba7b8129dad11d180b400c04fd430c8', 'hex')
  const of = `${source}-manifestworks.work.open-cluster-management.io-${consumer}-${name}`
  const hash = createHash('sha1').update(namespace).update(of).digest().subarray(0, 16)
  hash[6] = (hash[6] & 0x0f) | 0x50
  hash[8] = (hash[8] & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A source publishes a work of these manifests. */
export function createRequest({ source, consumer, name, data }) {
  const id = bundleId(source, consumer, name)
  const metadata = JSON.stringify({ name, namespace: consumer, uid: id, creationTimestamp: null })
  const extensions = { clustername: consumer, resourceid: id, resourceversion: 0, metadata }
  return { id, bytes: publishRequest({ source, action: 'spec.create_request', extensions, data }) }
}

export function deleteRequest({ source, consumer, id }) {
  const extensions = { clustername: consumer, resourceid: id, resourceversion: 1, deletiontimestamp: new Date() }
  return publishRequest({ source, action: 'spec.delete_request', extensions })
}

let step = 0n

/** A snowflake of node 1, as OCM's agent makes. */
function sequenceId() {
  step = (step + 1n) % 4096n
  return String(((BigInt(Date.now()) - 1288834974657n) << 22n) | (1n << 12n) | step)
}

/** An agent reports a status. */
export function statusRequest({ consumer, id, version = 1, status }) {
  const data = Buffer.from(JSON.stringify(status))
  const extensions = {
    clustername: consumer,
    resourceid: id,
    resourceversion: version,
    originalsource: SERVER_SOURCE,
    sequenceid: sequenceId(),
    statushash: createHash('sha256').update(data).digest('hex'),
  }
  return publishRequest({ source: `${consumer}-work-agent`, action: 'status.update_request', extensions, data })
}

/** An agent asks for all works of its cluster. */
export function resyncRequest(consumer) {
  const data = Buffer.from('{"resourceVersions":[]}')
  const extensions = { clustername: consumer, originalsource: '' }
  return publishRequest({ source: `${consumer}-work-agent`, action: 'spec.resync_request', extensions, data })
}

/** The id of a bundle in the bytes of a CloudEvent; undefined for a heartbeat. */
export function bundleOf(event) {
  const at = event.indexOf(RESOURCE_ID)
  // The name is followed by the value's field and length, the string's field and length, and 36 characters.
  return at < 0 ? undefined : event.latin1Slice(at + RESOURCE_ID.length + 4, at + RESOURCE_ID.length + 40)
}

export const isDeletion = (event) => event.includes('deletiontimestamp')
