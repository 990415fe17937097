import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FieldResult } from '../agent-addon.js'
import { feedbackFields, healthCheckMode, workProberOf } from './prober.js'
import { allDeploymentsProber, checkWorkloads, daemonSetProber, deploymentProber } from './workloads.js'

function result(resource: string, values: Readonly<Record<string, number>>, group = 'apps'): FieldResult {
  const entries = Object.entries(values).map(([name, integer]) => [name, { type: 'Integer', integer }])
  return { resource: { group, resource, namespace: 'ns', name: 'agent' }, values: Object.fromEntries(entries) }
}

const rows: readonly [string, FieldResult, string | undefined][] = [
  ['a Deployment with a ready replica', result('deployments', { ReadyReplicas: 1, Replicas: 3 }), undefined],
  ['a Deployment that wants no replica', result('deployments', { Replicas: 0, AvailableReplicas: 0 }), undefined],
  [
    'a Deployment whose count of ready replicas is left out, which is 0',
    result('deployments', { Replicas: 1 }),
    'desiredNumberReplicas is 1 but readyReplica is 0 for deployments ns/agent',
  ],
  ['a Deployment without counts', result('deployments', { AvailableReplicas: 1 }), 'readyReplica is not probed'],
  ['an object without values', result('deployments', {}), 'no values are probed for deployments ns/agent'],
  [
    'a DaemonSet that is ready on all nodes',
    result('daemonsets', { NumberReady: 3, DesiredNumberScheduled: 3 }),
    undefined,
  ],
  ['a DaemonSet without nodes', result('daemonsets', { NumberReady: 0, DesiredNumberScheduled: 0 }), undefined],
  [
    'a DaemonSet that is ready on some nodes',
    result('daemonsets', { NumberReady: 2, DesiredNumberScheduled: 3 }),
    'desiredNumberReplicas is 3 but readyReplica is 2 for daemonsets ns/agent',
  ],
  [
    'a DaemonSet without the number of ready pods',
    result('daemonsets', { DesiredNumberScheduled: 0 }),
    'readyReplica is not probed',
  ],
  [
    'a DaemonSet without the desired number',
    result('daemonsets', { NumberReady: 0 }),
    'desiredNumberReplicas is not probed',
  ],
  ['an object of another kind', result('statefulsets', { ReadyReplicas: 1 }), 'unsupported resource type statefulsets'],
  [
    'an object of another group',
    result('deployments', { ReadyReplicas: 1 }, 'example.com'),
    'unsupported resource group example.com',
  ],
]

suite('checkWorkloads', () => {
  for (const [what, found, problem] of rows) {
    test(`${problem === undefined ? 'accepts' : 'rejects'} ${what}`, () => {
      const check = () => checkWorkloads([found])
      if (problem === undefined) check()
      else assert.throws(check, { message: problem })
    })
  }
})

const WELL_KNOWN = [{ type: 'WellKnownStatus' }]
const field = (resource: string, name: string, namespace = 'ns') => ({
  resource: { group: 'apps', resource, name, namespace },
  rules: WELL_KNOWN,
})

const workload = (kind: string, name: string, spec: object = {}, apiVersion = 'apps/v1') => ({
  apiVersion,
  kind,
  metadata: { namespace: 'ns', name },
  spec,
})

const manifests = [
  workload('Deployment', 'agent'),
  workload('Deployment', 'idle', { replicas: 0 }),
  workload('DaemonSet', 'node'),
  workload('Deployment', 'foreign', {}, 'example.com/v1'),
]

suite('probers', () => {
  test('deploymentProber and daemonSetProber: read the well-known status of named objects', () => {
    const prober = deploymentProber({ namespace: 'ns', name: 'one' }, { namespace: 'ns', name: 'two' })
    assert.deepEqual(feedbackFields(prober, []), [field('deployments', 'one'), field('deployments', 'two')])
    assert.deepEqual(feedbackFields(daemonSetProber({ namespace: 'ns', name: 'one' }), []), [
      field('daemonsets', 'one'),
    ])
    assert.deepEqual(feedbackFields(allDeploymentsProber(), []), [field('deployments', '*', '*')])
  })

  test('DeploymentAvailability: requests feedback of all Deployments and probes those with replicas', () => {
    const prober = { type: 'DeploymentAvailability' } as const
    assert.deepEqual(feedbackFields(prober, manifests), [field('deployments', 'agent'), field('deployments', 'idle')])
    assert.deepEqual(workProberOf(prober, manifests)?.probe?.fields, [field('deployments', 'agent')])
  })

  test('WorkloadAvailability: has DaemonSets as well', () => {
    const prober = { type: 'WorkloadAvailability' } as const
    const node = field('daemonsets', 'node')
    assert.deepEqual(feedbackFields(prober, manifests), [
      field('deployments', 'agent'),
      field('deployments', 'idle'),
      node,
    ])
    assert.deepEqual(workProberOf(prober, manifests)?.probe?.fields, [field('deployments', 'agent'), node])
  })

  test('workProberOf: does not probe what is unknown, or not to be probed', () => {
    assert.equal(workProberOf({ type: 'WorkloadAvailability' }, undefined), undefined)
    assert.equal(workProberOf({ type: 'None' }, manifests), undefined)
    assert.equal(workProberOf({ type: 'Lease' }, manifests), undefined)
    assert.equal(workProberOf(undefined, manifests), undefined)
    assert.deepEqual(workProberOf({ type: 'Work' }, undefined), { probe: undefined })
  })

  test('healthCheckMode: is Lease for a Lease only', () => {
    const modes = (['None', 'Lease', 'Work', 'DeploymentAvailability', 'WorkloadAvailability'] as const).map((type) =>
      healthCheckMode({ type }),
    )
    assert.deepEqual(modes, ['Customized', 'Lease', 'Customized', 'Customized', 'Customized'])
    assert.equal(healthCheckMode(undefined), undefined)
  })
})
