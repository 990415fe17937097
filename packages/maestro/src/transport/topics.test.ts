import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specResyncRequest } from '../codec/resync-events.js'
import { agentTopics, checkTopics, clusterOfTopic, defaultTopics, serverTopics } from './topics.js'

const resync = (originalSource: string) =>
  specResyncRequest({ agentId: 'a', clusterName: 'c1', originalSource, versions: new Map() })

test('agentTopics: replaces the last placeholder by the cluster', () => {
  const { subscriptions, topicOf } = agentTopics(defaultTopics(), 'c1')
  assert.deepEqual(subscriptions, ['sources/maestro/consumers/c1/sourceevents'])
  assert.equal(topicOf(resync('')), 'sources/maestro/consumers/c1/agentevents')
})

test('agentTopics: uses broadcast topics for requests to all sources', () => {
  const broadcasts = { sourceBroadcast: 'sources/+/sourcebroadcast', agentBroadcast: 'clusters/+/agentbroadcast' }
  const { subscriptions, topicOf } = agentTopics({ ...defaultTopics('mw'), ...broadcasts }, 'c1')
  assert.deepEqual(subscriptions, ['sources/mw/consumers/c1/sourceevents', 'sources/+/sourcebroadcast'])
  assert.equal(topicOf(resync('')), 'clusters/c1/agentbroadcast')
  assert.equal(topicOf(resync('mw')), 'sources/mw/consumers/c1/agentevents')
})

test('checkTopics: names the topic that is not valid', () => {
  checkTopics({ ...defaultTopics(), agentEvents: '$share/group/sources/maestro/consumers/+/agentevents' })
  assert.throws(() => checkTopics({ ...defaultTopics(), agentEvents: 'a/b' }), /topics.agentEvents "a\/b" is not valid/)
})

test('serverTopics: subscribes to all clusters, shared if the topic says so, and sends to one', () => {
  const agentEvents = '$share/statussubscribers/sources/maestro/consumers/+/agentevents'
  const { subscriptions, topicOf } = serverTopics({ ...defaultTopics(), agentEvents })
  assert.deepEqual(subscriptions, [agentEvents])
  assert.equal(topicOf(resync('')), 'sources/maestro/consumers/c1/sourceevents')
})

test('clusterOfTopic: finds the cluster in both topics of agents', () => {
  assert.equal(clusterOfTopic('sources/maestro/consumers/c1/agentevents'), 'c1')
  assert.equal(clusterOfTopic('clusters/c1/agentbroadcast'), 'c1')
})
