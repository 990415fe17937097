import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FieldValue, ManagedCluster, ManagedClusterAddOn, ManifestStatus, ManifestWork } from '@orrery/api'
import type { WorkProbe } from '../agent-addon.js'
import { availability, type Probed } from './availability.js'
import { checkWorkloads } from './workloads.js'

const addon = { metadata: { namespace: 'c1', name: 'hello' } } as unknown as ManagedClusterAddOn

function cluster(status: string): ManagedCluster {
  const conditions = [{ type: 'ManagedClusterConditionAvailable', status }]
  return { metadata: { name: 'c1' }, status: { conditions } } as unknown as ManagedCluster
}

type Feedback = readonly [name: string, values: Readonly<Record<string, number>>]

function work(available: string | undefined, ...feedback: readonly Feedback[]): ManifestWork {
  const conditions =
    available === undefined ? [] : [{ type: 'Available', status: available, message: `${available} it is` }]
  const manifests = feedback.map(([name, values]) => manifestStatus(name, values))
  return { metadata: { name: 'w' }, status: { conditions, resourceStatus: { manifests } } } as unknown as ManifestWork
}

function manifestStatus(name: string, values: Readonly<Record<string, number>>): ManifestStatus {
  const namedValue = ([key, integer]: [string, number]) => ({
    name: key,
    fieldValue: { type: 'Integer', integer } satisfies FieldValue,
  })
  return {
    resourceMeta: {
      ordinal: 0,
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      resource: 'deployments',
      namespace: 'ns',
      name,
    },
    statusFeedback: { values: Object.entries(values).map(namedValue) },
  } as unknown as ManifestStatus
}

function probe(...names: readonly string[]): WorkProbe {
  const fields = names.map((name) => ({
    resource: { group: 'apps', resource: 'deployments', namespace: 'ns', name },
    rules: [{ type: 'WellKnownStatus' }] as const,
  }))
  return { fields, check: checkWorkloads }
}

const READY = { ReadyReplicas: 1, Replicas: 1 }
const applied = [{ type: 'ManifestApplied', status: 'True', reason: '', message: '', lastTransitionTime: '' }] as const

const probed: Probed = {
  addon,
  conditions: applied,
  cluster: cluster('True'),
  works: [work('True', ['agent', READY])],
  probe: probe('agent'),
  isEmpty: false,
}

const rows: readonly [string, Partial<Probed>, string | undefined][] = [
  ['ManifestApplied is not known yet', { conditions: [] }, undefined],
  ['the cluster is unreachable', { cluster: cluster('Unknown') }, undefined],
  ['there is no work', { works: [] }, 'Unknown WorkNotFound: Addon manifestWork is not found'],
  [
    'a work has no status',
    { works: [work('True'), work(undefined)] },
    'Unknown WorkNotApplied: Addon manifestWork is not applied yet',
  ],
  ['a work is not available', { works: [work('False', ['agent', READY])] }, 'False WorkNotApplied: False it is'],
  ['no field has a result', { works: [work('True')] }, 'Unknown NoProbeResult: Probe results are not returned'],
  [
    'a field has no values',
    { works: [work('True', ['agent', {}])] },
    'Unknown NoProbeResult: Probe results are not returned',
  ],
  [
    'the feedback is that of another object',
    { works: [work('True', ['other', READY])] },
    'Unknown NoProbeResult: Probe results are not returned',
  ],
  [
    'the probe finds a problem',
    { works: [work('True', ['agent', { ReadyReplicas: 0, Replicas: 2 }])] },
    'False ProbeUnavailable: Probe addon unavailable with err desiredNumberReplicas is 2 but readyReplica is 0 for deployments ns/agent',
  ],
  ['the probe finds no problem', {}, 'True ProbeAvailable: hello add-on is available.'],
  [
    'only some fields have results',
    { probe: probe('agent', 'late') },
    'True ProbeAvailable: hello add-on is available.',
  ],
  [
    'a probe has no fields',
    { probe: probe(), works: [work('True')] },
    'True ProbeAvailable: hello add-on is available.',
  ],
  ['a name has a wildcard', { probe: probe('ag*t') }, 'True ProbeAvailable: hello add-on is available.'],
  ['a wildcard does not match', { probe: probe('ag*x') }, 'Unknown NoProbeResult: Probe results are not returned'],
  [
    'a wildcard matches an object with a problem',
    { probe: probe('*'), works: [work('True', ['agent', READY]), work('True', ['other', { Replicas: 1 }])] },
    'False ProbeUnavailable: Probe addon unavailable with err desiredNumberReplicas is 1 but readyReplica is 0 for deployments ns/other',
  ],
  ['there is no probe', { probe: undefined, works: [work('True')] }, 'True WorkApplied: Addon manifestWork is applied'],
  [
    'there is no probe and nothing to deploy',
    { probe: undefined, works: [], isEmpty: true },
    'True WorkApplied: Addon manifestWork is applied',
  ],
  [
    'there is no probe and no work',
    { probe: undefined, works: [] },
    'Unknown WorkNotFound: Addon manifestWork is not found',
  ],
  [
    'there is no probe and a work is not available',
    { probe: undefined, works: [work('False')] },
    'False WorkNotApplied: False it is',
  ],
]

suite('availability', () => {
  for (const [what, settings, expected] of rows) {
    test(`if ${what}: ${expected ?? 'stays as it is'}`, () => {
      const found = availability({ ...probed, ...settings })
      assert.equal(found && `${found.status} ${found.reason}: ${found.message}`, expected)
      assert.equal(found?.type ?? 'Available', 'Available')
    })
  }

  test('gives the results, the cluster and the add-on to the probe', () => {
    let seen: readonly unknown[] = []
    const check: WorkProbe['check'] = (...args) => {
      seen = args
    }
    availability({ ...probed, probe: { ...probe('agent'), check } })
    assert.deepEqual(seen, [
      [
        {
          resource: { group: 'apps', resource: 'deployments', namespace: 'ns', name: 'agent' },
          values: { ReadyReplicas: { type: 'Integer', integer: 1 }, Replicas: { type: 'Integer', integer: 1 } },
        },
      ],
      probed.cluster,
      addon,
    ])
  })
})
