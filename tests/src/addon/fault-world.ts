import type { TestContext } from 'node:test'
import { AddonManager, type AgentAddon } from '@orrery/addon'
import { LeaseUpdater } from '@orrery/addon/agent'
import { addonPart, workPart } from '@orrery/agent'
import { ClusterManagementAddOn, ManagedClusterAddOn, type NewClusterManagementAddOnSpec } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { createLogger } from '@orrery/kube/log'
import { startNode } from '@orrery/node'
import { join, trusting } from '../agent/joining.js'
import { startWorld, type World } from '../agent/spoke.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { conditionText } from './addon-hub.js'
import { ADDON_NAMESPACE } from './addon-world.js'
import { REF } from './hello.js'

/** A step of the clock between two looks. Lost connections and failed reconciles are retried after up to a minute. */
const STEP_MILLISECONDS = 200

/** A hub, a cluster with a node and an agent, and an add-on that is installed on the cluster. One clock for all. */
export interface FaultWorld extends World {
  readonly manager: AddonManager
  /** What the manager of the add-on has logged. */
  readonly log: readonly string[]
  /** Waits until a condition of the add-on starts with this status, reason and message. */
  reports(type: string, expected: string): Promise<ManagedClusterAddOn>
  /** The milliseconds by the clock until something is true. */
  timeUntil(what: string, holds: () => Promise<unknown>): Promise<number>
  /** Renews the Lease of the add-on, as its agent does, until the returned function is called. */
  renewLease(): () => Promise<void>
}

export interface FaultWorldOptions {
  /** The client of the add-on's manager. Default the administrator's. */
  readonly managerClient?: (world: World) => Promise<KubeClient>
  /** The definition of the add-on. Default empty. */
  readonly definition?: NewClusterManagementAddOnSpec
  /** Prepares the hub before the add-on is installed. Default nothing. */
  readonly prepare?: (world: World) => Promise<unknown>
}

export async function startFaultWorld(
  t: TestContext,
  addon: AgentAddon,
  { managerClient, definition = {}, prepare }: FaultWorldOptions = {},
): Promise<FaultWorld> {
  const world = await startWorld(t, trusting)
  const { hub, spoke, link } = world
  const { clock } = hub
  const directory = await temporaryDirectory(t)
  const node = await startNode({ client: spoke.client, clock, directory, name: 'node-1', stopSeconds: 1 })
  afterwards(t, () => node.stop())
  await spoke.client.create(Namespace, { metadata: { name: ADDON_NAMESPACE } })
  await join(hub, spoke, link, 'c1', { parts: [workPart, addonPart] })
  await prepare?.(world)
  await hub.client.create(ClusterManagementAddOn, { metadata: { name: addon.name }, spec: definition })
  const lines: string[] = []
  const log = createLogger({ level: 'debug', format: 'text', write: (line) => lines.push(line) })
  const manager = new AddonManager({ client: (await managerClient?.(world)) ?? hub.client, clock, log })
  manager.addAgent(addon)
  afterwards(t, () => manager.close())
  await manager.start()
  await hub.client.create(ManagedClusterAddOn, { metadata: REF, spec: {} })

  async function timeUntil(what: string, holds: () => Promise<unknown>): Promise<number> {
    const start = clock.elapsed()
    await hub.eventually(what, async () => {
      if (await holds()) return true
      clock.advance(STEP_MILLISECONDS)
      return false
    })
    return clock.elapsed() - start
  }

  return {
    ...world,
    manager,
    log: lines,
    timeUntil,
    async reports(type, expected) {
      let found: ManagedClusterAddOn | undefined
      const seen = () => found && conditionText(found, type)
      try {
        await timeUntil(`${type} is ${expected}`, async () => {
          found = await hub.client.find(ManagedClusterAddOn, REF)
          return seen()?.startsWith(expected)
        })
      } catch (error) {
        throw new Error(`${(error as Error).message}: ${seen()}`)
      }
      return found as ManagedClusterAddOn
    },
    renewLease() {
      const lease = new LeaseUpdater({
        client: spoke.client,
        addonName: addon.name,
        addonNamespace: ADDON_NAMESPACE,
        clock,
      })
      lease.start()
      afterwards(t, () => lease.stop())
      return () => lease.stop()
    },
  }
}
