import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ManagedCluster, ManagedClusterCondition, ManagedClusterReason } from '@orrery/api'
import { clusterProblem } from './overview.js'

test('clusterProblem: tells how to start an agent that was stopped', () => {
  const { HubAccepted, Joined, Available } = ManagedClusterCondition
  const withAvailable = (available: object) =>
    ({
      metadata: { name: 'edge' },
      spec: { hubAcceptsClient: true },
      status: {
        conditions: [
          { type: HubAccepted, status: 'True' },
          { type: Joined, status: 'True' },
          { type: Available, ...available },
        ],
      },
    }) as unknown as ManagedCluster
  const stopped = { status: 'Unknown', reason: ManagedClusterReason.AgentStopped, message: 'stopped' }
  assert.match(clusterProblem(withAvailable(stopped)) ?? '', /^its agent was stopped: start it with `orrery agent`/)
  assert.equal(clusterProblem(withAvailable({ status: 'Unknown', reason: 'R', message: 'no lease' })), 'no lease')
  assert.equal(clusterProblem(withAvailable({ status: 'True', reason: 'R', message: '' })), undefined)
})
