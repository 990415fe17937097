import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentContext, AgentPart } from '@orrery/agent'
import { ManagedCluster } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { always, type ControllerSpec } from '@orrery/kube'
import { accept, approveAll, join, trusting } from './joining.js'
import { startWorld } from './spoke.js'

const ref = { namespace: 'default', name: 'seen' }

test('startAgent: runs the controllers of its parts at once, and starts its parts when the hub accepts the cluster', async (t) => {
  const { hub, spoke, link } = await startWorld(t)
  const events: string[] = []
  let context: AgentContext | undefined
  const part = (name: string): AgentPart => ({
    name,
    controllers: ({ spokeInformers }): ControllerSpec[] => [
      {
        name: `${name}-controller`,
        wakes: [always(spokeInformers.of(ConfigMap, { namespace: 'default' }), ref)],
        reconcile: async () => {
          events.push(`${name} reconciles`)
        },
      },
    ],
    start: async (given) => {
      context = given
      events.push(`${name} starts`)
      return {
        close: async () => {
          events.push(`${name} closes`)
        },
      }
    },
  })
  const agent = await spoke.startAgent(link, {
    clusterName: 'c1',
    parts: [part('first'), part('second'), { name: 'idle' }],
  })
  await hub.eventually('controllers run', async () => events.length === 2)
  assert.deepEqual([...events].sort(), ['first reconciles', 'second reconciles'])
  await hub.when(ManagedCluster, { name: 'c1' }, () => true)
  await accept(hub, 'c1')
  await hub.eventually('parts run', async () => {
    await approveAll(hub, 'c1')
    hub.clock.advance(1_000)
    return events.length === 4
  })
  assert.deepEqual(events.slice(2), ['first starts', 'second starts'])
  assert.equal(context?.clusterName, 'c1')
  assert.equal(context?.hubInformers.client, context?.hub)
  await agent.close()
  assert.deepEqual(events.slice(4).sort(), ['first closes', 'second closes'])
})

test('startAgent: closes the parts that run when a later part cannot start, and tries again', async (t) => {
  const { hub, spoke, link } = await startWorld(t, trusting)
  const events: string[] = []
  const first: AgentPart = {
    name: 'first',
    start: async () => {
      events.push('start')
      return { close: async () => void events.push('close') }
    },
  }
  let failures = 0
  const second: AgentPart = {
    name: 'second',
    start: async () => {
      if (failures++ === 0) throw new Error('not yet')
      return { close: async () => undefined }
    },
  }
  await join(hub, spoke, link, 'c1', { parts: [first, second] })
  await hub.eventually('all parts run', async () => {
    hub.clock.advance(1_000)
    return failures === 2
  })
  assert.deepEqual(events, ['start', 'close', 'start'])
})
