import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterManagementAddOn, LIFECYCLE_ANNOTATION, NO_DEFAULT_CONFIG } from '@orrery/api'
import { referencesStatus } from './install-progressions.js'

const A = { group: 'g', resource: 'a' }
const B = { group: 'g', resource: 'b' }
const P1 = { namespace: 'default', name: 'p1' }
const P2 = { namespace: 'default', name: 'p2' }
const all = { rolloutStrategy: { type: 'All' } }

function definition(parts: {
  placements?: readonly object[]
  configs?: readonly object[]
  status?: object
  annotations?: object
}) {
  const { placements, configs = [], status, annotations = {} } = parts
  const installStrategy = placements === undefined ? { type: 'Manual' } : { type: 'Placements', placements }
  return {
    metadata: { name: 'hello', annotations },
    spec: { defaultConfigs: configs, installStrategy },
    status,
  } as unknown as ClusterManagementAddOn
}

const desired = (type: object, name: string, specHash = '') => ({ ...type, desiredConfig: { name, specHash } })

test('referencesStatus: lists defaults, and keeps the hashes that are known', () => {
  const configs = [
    { ...A, name: 'one' },
    { ...B, name: NO_DEFAULT_CONFIG },
  ]
  assert.deepEqual(referencesStatus(definition({ configs })), {
    defaultConfigReferences: [desired(A, 'one')],
    installProgressions: [],
  })
  const status = {
    defaultConfigReferences: [desired(A, 'one', '1'), desired(B, 'gone', '2')],
    installProgressions: [{ ...P1, configReferences: [] }],
  }
  assert.deepEqual(referencesStatus(definition({ configs, status })), {
    defaultConfigReferences: [desired(A, 'one', '1')],
    installProgressions: [],
  })
})

test('referencesStatus: configurations of a placement replace the defaults of their types', () => {
  const configs = [
    { ...B, name: 'default' },
    { ...A, name: 'default' },
  ]
  const placements = [
    { ...P1, ...all },
    {
      ...P2,
      ...all,
      configs: [
        { ...B, name: 'x' },
        { ...B, name: 'y' },
        { ...B, name: 'x' },
      ],
    },
  ]
  assert.deepEqual(referencesStatus(definition({ configs, placements })).installProgressions, [
    { ...P1, configReferences: [desired(A, 'default'), desired(B, 'default')] },
    { ...P2, configReferences: [desired(A, 'default'), desired(B, 'x'), desired(B, 'y')] },
  ])
})

test('referencesStatus: keeps the state of a placement while its configurations are the same objects', () => {
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'Completed' }]
  const lastAppliedConfig = { name: 'one', specHash: '1' }
  const known = { ...desired(A, 'one', '2'), lastAppliedConfig }
  const status = { installProgressions: [{ ...P1, conditions, configReferences: [known] }] }
  const of = (name: string) =>
    referencesStatus(definition({ placements: [{ ...P1, ...all }], configs: [{ ...A, name }], status }))
      .installProgressions
  assert.deepEqual(of('one'), [{ ...P1, conditions, configReferences: [known] }])
  assert.deepEqual(of('two'), [{ ...P1, configReferences: [desired(A, 'two')] }])
})

test('referencesStatus: an add-on that manages itself keeps its own progressions', () => {
  const installProgressions = [{ ...P2, configReferences: [] }]
  const annotations = { [LIFECYCLE_ANNOTATION]: 'self' }
  const parts = { placements: [{ ...P1, ...all }], configs: [{ ...A, name: 'one' }], annotations }
  assert.deepEqual(referencesStatus(definition({ ...parts, status: { installProgressions } })), {
    defaultConfigReferences: [desired(A, 'one')],
    installProgressions,
  })
})
