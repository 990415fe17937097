import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Logger } from '@orrery/kube/log'
import { silentLogger } from '@orrery/kube/log'
import { specWarnings } from './spec-warnings.js'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const resourceIdentifier = { group: '', resource: 'configmaps', namespace: 'default', name: 'a' }

function warningsOf(manifestConfigs: readonly object[], deleteOption: object = {}, sources = ['s']): unknown[] {
  const problems: unknown[] = []
  const log: Logger = { ...silentLogger, warn: (_, fields) => problems.push(fields?.problem) }
  const warn = specWarnings(log)
  const spec = {
    manifests: json([]),
    deleteOption: json(deleteOption),
    manifestConfigs: json(manifestConfigs.map((config) => ({ resourceIdentifier, ...config }))),
  }
  for (const source of sources) warn({ id: 'i', source, consumerName: 'c', spec })
  return problems
}

test('specWarnings: names misspelled fields and values', () => {
  assert.deepEqual(warningsOf([{ feedbackRule: [], feedbackRules: [{ type: 'Wellknown' }] }]), [
    'spec.manifestConfigs[0].feedbackRule: Invalid value: "feedbackRule": unknown field',
    'spec.manifestConfigs[0].feedbackRules[0].type: Unsupported value: "Wellknown": supported values: "WellKnownStatus", "JSONPaths"',
  ])
})

test('specWarnings: accepts the empty values of Go clients and valid works', () => {
  assert.deepEqual(
    warningsOf([{ feedbackScrapeType: '', updateStrategy: { type: '' } }], { propagationPolicy: '' }),
    [],
  )
  assert.deepEqual(warningsOf([{ feedbackRules: [{ type: 'WellKnownStatus' }] }], { propagationPolicy: 'Orphan' }), [])
})

test('specWarnings: logs a problem once for each source, and not without limit', () => {
  const rules = [{ feedbackRules: [{ type: 'X' }, { type: 'X' }] }]
  assert.equal(warningsOf(rules, {}, ['s', 's', 't']).length, 2)
  const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`field${index}`, 1]))
  assert.equal(warningsOf([unknown], {}, ['s', 't']).length, 1_000)
})
