// Works and statuses of the sizes that Maestro's own performance test has.
import { randomBytes } from 'node:crypto'

export const SMALL = 3_127
export const LARGE = 49_899
const STATUS = 2_067

const condition = (type) => ({
  type,
  status: 'True',
  reason: `AppliedManifest${type}`,
  message: 'the manifest is as the work wants it',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

const TEXT = randomBytes(48 * 1_024).toString('base64')

/** Text that does not compress better than manifests do. */
const filling = (length) => TEXT.slice(0, Math.max(0, length))

const manifest = (name, text) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { text },
})

/** The data of a spec event with this many bytes. Every work has an object of its own. */
export function manifestsOf(name, size) {
  const encode = (text) => Buffer.from(JSON.stringify({ manifests: [manifest(name, text)] }))
  return encode(filling(size - encode('').length))
}

/** The smallest work: a ConfigMap without data. */
export const tinyManifests = (name) => Buffer.from(JSON.stringify({ manifests: [manifest(name, '')] }))

/** A status of 2 KB that differs for each report. */
export function statusOf(report) {
  const status = {
    conditions: [condition('Applied'), condition('Available')],
    resourceStatus: [
      {
        resourceMeta: {
          ordinal: 0,
          version: 'v1',
          kind: 'ConfigMap',
          resource: 'configmaps',
          name: 'a',
          namespace: 'b',
        },
        conditions: [condition('Applied'), condition('Available')],
        statusFeedback: { values: [{ name: 'report', fieldValue: { type: 'String', string: String(report) } }] },
      },
    ],
  }
  const missing = STATUS - JSON.stringify(status).length
  status.resourceStatus[0].statusFeedback.values.push({
    name: 'rest',
    fieldValue: { type: 'String', string: filling(missing - 70) },
  })
  return status
}

export const DELETED = {
  conditions: [{ ...condition('Deleted'), reason: 'ManifestsDeleted' }],
}
