import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AgentOptions } from '@orrery/agent'
import { ManagedCluster } from '@orrery/api'
import { patience } from '@orrery/kube/testing'
import { HubServer } from '../hub/hub-server.js'
import { afterwards } from '../support/server.js'
import { HubLink } from './hub-link.js'
import { accept, isAvailable, trusting } from './joining.js'
import { hubBootstrap, Spoke } from './spoke.js'

const ONE = 'https://one.example:6443'
const TWO = 'https://two.example:6443'
const c1 = { name: 'c1' }

/** Two hubs and a cluster with one clock. */
async function startHubs(t: Parameters<typeof HubServer.start>[0]) {
  const later = { after: (step: () => Promise<void>) => afterwards(t, step) } as typeof t
  const one = await HubServer.start(later, trusting)
  const two = await HubServer.start(later, trusting)
  const spoke = await Spoke.start(t, one.clock)
  const link = new HubLink().add(ONE, one).add(TWO, two)
  const bootstrap = { kubeconfigs: [await hubBootstrap(ONE), await hubBootstrap(TWO)] }
  const options: Partial<AgentOptions> = { clusterName: 'c1', bootstrap, features: { MultipleHubs: true } }
  const pass = (milliseconds: number) => {
    one.clock.advance(milliseconds)
    two.clock.advance(milliseconds)
  }
  return { one, two, spoke, link, options, pass }
}

suite('agent with several hubs', () => {
  test('joins the first reachable hub', async (t) => {
    const { two, spoke, link, options } = await startHubs(t)
    link.cut(ONE)
    await spoke.startAgent(link, options)
    await two.when(ManagedCluster, c1, isAvailable)
  })

  test('joins the next hub if the first never completes an answer', async (t) => {
    const { one, two, spoke, link, options, pass } = await startHubs(t)
    link.stalled.add(ONE)
    const startedAt = one.clock.now().getTime()
    await spoke.startAgent(link, options)
    await two.eventually('the cluster is available on the other', async () => {
      const cluster = await two.client.find(ManagedCluster, c1)
      pass(cluster === undefined ? 1_000 : 100)
      return cluster !== undefined && isAvailable(cluster)
    })
    const minutes = (one.clock.now().getTime() - startedAt) / 60_000
    assert.ok(minutes < 5, `${minutes} minutes`)
  })

  test('switches to the next hub when it is denied, and stays there after a restart', async (t) => {
    const { one, two, spoke, link, options, pass } = await startHubs(t)
    const agent = await spoke.startAgent(link, options)
    await one.when(ManagedCluster, c1, isAvailable)
    await accept(one, 'c1', false)
    await two.eventually('the cluster is available on the other', async () => {
      pass(100)
      const cluster = await two.client.find(ManagedCluster, c1)
      return cluster !== undefined && isAvailable(cluster)
    })
    assert.equal('hub' in agent.state && agent.state.hub, TWO)
    await agent.close()
    await accept(one, 'c1', true)
    const again = await spoke.startAgent(link, options)
    await again.whenJoined(patience())
    assert.equal('hub' in again.state && again.state.hub, TWO)
  })

  test('switches to the next hub when its own is unreachable for ten minutes', async (t) => {
    const { one, two, spoke, link, options, pass } = await startHubs(t)
    await spoke.startAgent(link, options)
    await one.when(ManagedCluster, c1, isAvailable)
    link.cut(ONE)
    const lostAt = one.clock.now().getTime()
    await two.eventually('the cluster is available on the other', async () => {
      const cluster = await two.client.find(ManagedCluster, c1)
      // Joining takes as long as the machine needs: little time passes for the clock meanwhile.
      pass(cluster === undefined ? 5_000 : 100)
      return cluster !== undefined && isAvailable(cluster)
    })
    const minutes = (one.clock.now().getTime() - lostAt) / 60_000
    assert.ok(minutes > 9 && minutes < 14, `${minutes} minutes`)
  })

  test('switches to the next hub when its own never completes an answer any more', async (t) => {
    const { one, two, spoke, link, options, pass } = await startHubs(t)
    await spoke.startAgent(link, options)
    await one.when(ManagedCluster, c1, isAvailable)
    link.stalled.add(ONE)
    await two.eventually('the cluster is available on the other', async () => {
      pass(5_000)
      const cluster = await two.client.find(ManagedCluster, c1)
      return cluster !== undefined && isAvailable(cluster)
    })
  })

  test('requires at least two bootstrap kubeconfigs, and the feature for more than one', async (t) => {
    const { spoke, link, options } = await startHubs(t)
    await assert.rejects(spoke.startAgent(link, { ...options, features: {} }), /MultipleHubs/)
    const bootstrap = { kubeconfigs: [await hubBootstrap(ONE)] }
    await assert.rejects(spoke.startAgent(link, { ...options, bootstrap }), /at least 2 bootstrap kubeconfigs/)
  })
})
