import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FeedbackRule } from '@orrery/api'
import { manifestConfigsOf } from './manifest-configs.js'

const agent = { group: 'apps', resource: 'deployments', namespace: 'ns', name: 'agent' }
const other = { ...agent, name: 'other' }
const WELL_KNOWN: FeedbackRule = { type: 'WellKnownStatus' }
const paths = (...names: readonly string[]): FeedbackRule => ({
  type: 'JSONPaths',
  jsonPaths: names.map((name) => ({ name, path: `.${name}` })),
})

suite('manifestConfigsOf', () => {
  test('has the fields of the prober, then the configs of the add-on', () => {
    const own = { resourceIdentifier: other, updateStrategy: { type: 'CreateOnly' } as const }
    assert.deepEqual(manifestConfigsOf([{ resource: agent, rules: [WELL_KNOWN] }], [own]), [
      { resourceIdentifier: agent, feedbackRules: [WELL_KNOWN] },
      own,
    ])
    assert.deepEqual(manifestConfigsOf([]), [])
  })

  test('merges the rules for the same objects, and the strategy of the add-on counts', () => {
    const fields = [{ resource: agent, rules: [WELL_KNOWN, paths('a')] }]
    const own = [
      { resourceIdentifier: agent, feedbackRules: [WELL_KNOWN, paths('a', 'b')] },
      { resourceIdentifier: { ...agent }, updateStrategy: { type: 'ServerSideApply' } as const },
    ]
    assert.deepEqual(manifestConfigsOf(fields, own), [
      {
        resourceIdentifier: agent,
        feedbackRules: [WELL_KNOWN, paths('a'), paths('b')],
        updateStrategy: { type: 'ServerSideApply' },
      },
    ])
  })

  test('drops paths whose names are taken', () => {
    const fields = [{ resource: agent, rules: [paths('a', 'b')] }]
    const own = [{ resourceIdentifier: agent, feedbackRules: [paths('b', 'a')] }]
    assert.deepEqual(manifestConfigsOf(fields, own), [{ resourceIdentifier: agent, feedbackRules: [paths('a', 'b')] }])
  })
})
