import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstallProgression, ManagedClusterAddOn, RolloutStrategy } from '@orrery/api'
import type { Layer } from './layers.js'
import { withProgress } from './progression.js'
import { planLayer } from './rollout.js'

const NOW = new Date('2030-01-01T01:00:00Z')
const CONFIG = { group: 'g', resource: 'configs' }
const DESIRED = { name: 'a', specHash: '2' }
const PROGRESSION: InstallProgression = {
  namespace: 'default',
  name: 'p1',
  configReferences: [{ ...CONFIG, desiredConfig: DESIRED, lastAppliedConfig: { name: 'a', specHash: '1' } }],
}

/** What an add-on reports: the hash of its configuration, the applied hash, and the condition Progressing. */
type Report = readonly [hash: string, applied: string, reason?: string]

const DONE: Report = ['2', '2', 'Completed']
const WAITING: Report = ['1', '1', 'Completed']
const RUNNING: Report = ['2', '1', 'Progressing']
const FAILED: Report = ['2', '1', 'Failed']

function addOn([specHash, applied, reason = '']: Report): ManagedClusterAddOn {
  const lastTransitionTime = '2030-01-01T00:00:00Z'
  const reference = {
    ...CONFIG,
    desiredConfig: { name: 'a', specHash },
    lastAppliedConfig: { name: 'a', specHash: applied },
  }
  const conditions = [{ type: 'Progressing', status: 'True', reason, message: '', lastTransitionTime }]
  return {
    metadata: {},
    spec: {},
    status: { configReferences: [reference], conditions },
  } as unknown as ManagedClusterAddOn
}

function progressed(reports: Readonly<Record<string, Report | undefined>>, strategy: object, selected?: number) {
  const clusters = Object.keys(reports)
  const layer: Layer = {
    placement: { namespace: 'default', name: 'p1' },
    selected: selected ?? clusters.length,
    groups: [{ index: 0, name: '', clusters }],
    configs: new Map([['configs.g', [{ ...CONFIG, desiredConfig: DESIRED }]]]),
    strategy: strategy as RolloutStrategy,
  }
  const addOnOn = (cluster: string) => {
    const report = reports[cluster]
    return report && addOn(report)
  }
  return withProgress(PROGRESSION, planLayer(layer, { addOnOn, isExpectedOn: () => true }, NOW), NOW)
}

const all = { type: 'All' }
const oneByOne = (settings: object = {}) => ({ type: 'Progressive', progressive: { maxConcurrency: 1, ...settings } })

for (const [title, reports, strategy, selected, expected] of [
  ['no clusters', {}, all, 0, 'selected clusters 0. configured addons 0/0 progressing..., 0 failed 0 timeout.'],
  [
    'all at once',
    { a: WAITING, b: RUNNING, c: DONE },
    all,
    3,
    'selected clusters 3. configured addons 3/3 progressing..., 0 failed 0 timeout.',
  ],
  [
    'an add-on that is not installed yet',
    { a: undefined, b: DONE },
    all,
    2,
    'selected clusters 2. configured addons 1/2 progressing..., 0 failed 0 timeout.',
  ],
  [
    'the next of a batch',
    { a: DONE, b: WAITING, c: WAITING },
    oneByOne(),
    3,
    'selected clusters 3. configured addons 2/3 progressing..., 0 failed 0 timeout.',
  ],
  [
    'clusters of a later placement',
    { a: RUNNING },
    all,
    3,
    'selected clusters 3. configured addons 1/1 progressing..., 0 failed 0 timeout.',
  ],
  [
    'success that has to last',
    { a: DONE, b: WAITING },
    oneByOne({ minSuccessTime: '2h' }),
    2,
    'selected clusters 2. configured addons 1/2 progressing..., 0 failed 0 timeout.',
  ],
  [
    'failures before the deadline',
    { a: FAILED },
    oneByOne({ progressDeadline: '2h' }),
    1,
    'selected clusters 1. configured addons 1/1 progressing..., 0 failed 0 timeout.',
  ],
  [
    'failures and others after the deadline',
    { a: FAILED, b: RUNNING },
    oneByOne({ progressDeadline: '5m' }),
    2,
    'selected clusters 2. configured addons 0/2 progressing..., 1 failed 2 timeout.',
  ],
] as const satisfies readonly (readonly [string, Record<string, Report | undefined>, object, number, string])[]) {
  test(`withProgress: counts ${title}`, () => {
    const { conditions, configReferences } = progressed(reports, strategy, selected)
    const [{ status, reason, message } = { status: '', reason: '', message: '' }] = conditions ?? []
    assert.deepEqual([status, reason, message], ['True', 'Progressing', expected])
    assert.equal(configReferences, PROGRESSION.configReferences)
  })
}

test('withProgress: records the configurations of a rollout that is complete', () => {
  const { conditions, configReferences } = progressed({ a: DONE, b: DONE }, all)
  const [{ status, reason, message } = { status: '', reason: '', message: '' }] = conditions ?? []
  const expected = 'selected clusters 2. configured addons 2/2 completed with no errors, 0 failed 0 timeout.'
  assert.deepEqual([status, reason, message], ['False', 'Completed', expected])
  const applied = { desiredConfig: DESIRED, lastAppliedConfig: DESIRED, lastKnownGoodConfig: DESIRED }
  assert.deepEqual(configReferences, [{ ...CONFIG, ...applied }])
})

test('withProgress: reports a rollout strategy that is not valid', () => {
  const { conditions } = progressed({ a: WAITING }, oneByOne({ maxConcurrency: 'many' }))
  const [{ status, reason, message } = { status: '', reason: '', message: '' }] = conditions ?? []
  const expected = 'rolloutStrategy: maxConcurrency: "many" is neither a number nor a percentage'
  assert.deepEqual([status, reason, message], ['False', 'Failed', expected])
})
