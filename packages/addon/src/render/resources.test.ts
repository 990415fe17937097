import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containerIdRegex, containerResources } from './resources.js'

const entry = (containerID: string, memory: string) => ({ containerID, resources: { limits: { memory } } })
const agent = { resource: 'deployments', name: 'hello-agent', container: 'agent' }

test('containerResources: an asterisk matches any text', () => {
  for (const [pattern, isMatch] of [
    ['deployments:hello-agent:agent', true],
    ['*:*:*', true],
    ['deployments:hello-*:agent', true],
    ['deployments:*-agent:a*t', true],
    ['deployments:h*l*o-*:*', true],
    ['daemonsets:*:*', false],
    ['deployments:hello:agent', false],
    ['deployments:hello-agent-*:agent', false],
    ['deployments:*:manager', false],
    ['deployments:hello-agent*agent:agent', false],
  ] as const) {
    assert.equal(containerResources([entry(pattern, '1Gi')], agent) !== undefined, isMatch, pattern)
  }
})

test('containerResources: the last match applies', () => {
  const entries = [entry('deployments:hello-agent:agent', '1Gi'), entry('*:*:*', '2Gi'), entry('daemonsets:*:*', '3Gi')]
  assert.deepEqual(containerResources(entries, agent), { limits: { memory: '2Gi' } })
})

test('containerIdRegex: is the expression that templates of Open Cluster Management match', () => {
  assert.equal(containerIdRegex('deployments:*:agent'), '^deployments:.+:agent$')
})
