import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import type { CloudEvent, ExtensionValue } from './cloud-event.js'

const ATTRIBUTES: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'subject',
  'dataschema',
  'datacontenttype',
  'data',
])

const text = () => fc.string({ unit: 'grapheme', maxLength: 20 })
const time = () => fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
const bytes = () => fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array))

/** Any event, with extensions of every type or of the given ones. */
export function anyEvent(
  value: fc.Arbitrary<ExtensionValue> = fc.oneof(text(), fc.integer(), fc.boolean(), time(), bytes()),
): fc.Arbitrary<CloudEvent> {
  const name = fc.stringMatching(/^[a-z0-9]{1,12}$/).filter((one) => !ATTRIBUTES.has(one))
  return fc
    .record(
      {
        id: text(),
        source: text(),
        type: fc.stringMatching(/^[a-z.]{1,20}$/),
        time: time(),
        subject: text(),
        dataSchema: text(),
        extensions: fc.dictionary(name, value, { minKeys: 1, noNullPrototype: true }),
        data: bytes(),
      },
      { requiredKeys: ['id', 'source', 'type', 'extensions'] },
    )
    .map((event) => ({ ...event, ...(event.data !== undefined && { dataContentType: 'application/octet-stream' }) }))
}
