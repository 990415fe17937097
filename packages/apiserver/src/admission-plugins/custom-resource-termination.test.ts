import assert from 'node:assert/strict'
import test from 'node:test'
import type { AdmissionRequest } from '../admission/types.js'
import type { Entry } from '../store/types.js'
import { customResourceTermination } from './custom-resource-termination.js'

const creating = (bucket: string) =>
  ({
    operation: 'CREATE',
    subresource: '',
    name: 'w',
    resource: { group: 'example.com', plural: 'widgets', custom: true, storage: { bucket, version: 'v1' } },
  }) as unknown as AdmissionRequest

const definition = (deletionTimestamp?: string) =>
  ({ object: () => ({ metadata: { name: 'widgets.example.com', deletionTimestamp } }) }) as unknown as Entry

test('customResourceTermination: allows creation only while the definition is not being deleted', () => {
  let found: Entry | undefined = definition()
  const plugin = customResourceTermination({ head: () => found })
  const create = () => plugin.validate?.(creating('widgets.example.com'))
  assert.doesNotThrow(create)
  found = definition('2026-01-01T00:00:00Z')
  assert.throws(create, /create not allowed while custom resource definition is terminating/)
  found = undefined
  assert.throws(create, { code: 404, message: 'the server could not find the requested resource' })
  assert.doesNotThrow(() => plugin.validate?.(creating('')), 'what an embedder serves has none')
})
