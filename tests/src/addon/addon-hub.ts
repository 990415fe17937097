import type { TestContext } from 'node:test'
import { AddonManager, type AgentAddon, type Manifest } from '@orrery/addon'
import { AddOnCondition, AddOnReason, ManagedCluster, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { Namespace, type ObjectRef } from '@orrery/kinds'
import { findCondition, formatTime, isAlreadyExists } from '@orrery/kinds/values'
import { writeConditions } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { HubServer } from '../hub/hub-server.js'

/** A hub on which only the controllers of add-ons run, with a clock that the test advances. */
export class AddonHub {
  readonly hub: HubServer
  readonly manager: AddonManager

  private constructor(hub: HubServer, manager: AddonManager) {
    this.hub = hub
    this.manager = manager
  }

  static async start(t: Pick<TestContext, 'after'>, ...addons: readonly AgentAddon[]): Promise<AddonHub> {
    const hub = await HubServer.start(t, { controllers: () => [] })
    const manager = new AddonManager({ client: hub.client, clock: hub.clock, log: silentLogger })
    for (const addon of addons) manager.addAgent(addon)
    t.after(() => manager.close())
    await manager.start()
    return new AddonHub(hub, manager)
  }

  get client(): HubServer['client'] {
    return this.hub.client
  }

  /** Creates a cluster with its namespace. */
  async cluster(name: string, labels: Record<string, string> = {}): Promise<ManagedCluster> {
    try {
      await this.client.create(Namespace, { metadata: { name } })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    return this.client.create(ManagedCluster, { metadata: { name, labels }, spec: { hubAcceptsClient: true } })
  }

  /** Creates an add-on of a cluster as the hub does. It is registered unless `registered` is false. */
  async addon(
    namespace: string,
    name: string,
    options: { readonly registered?: boolean; readonly annotations?: Record<string, string> } = {},
  ): Promise<ManagedClusterAddOn> {
    const { registered = true, annotations = {} } = options
    const addon = await this.client.create(ManagedClusterAddOn, {
      metadata: { namespace, name, annotations },
      spec: {},
    })
    if (!registered) return addon
    const { RegistrationApplied } = AddOnCondition
    const reason = AddOnReason.NilRegistration
    return this.report(addon, { type: RegistrationApplied, status: 'True', reason, message: 'registered' })
  }

  /** Writes a condition of an add-on as another controller would. */
  report(
    addon: ManagedClusterAddOn,
    finding: Parameters<typeof writeConditions>[3][number],
  ): Promise<ManagedClusterAddOn> {
    return writeConditions(this.client, ManagedClusterAddOn, addon, [finding], { clock: this.hub.clock })
  }

  /** Waits until the controllers have nothing to do: for what must not happen. */
  async settle(): Promise<void> {
    await this.hub.settle()
    await this.hub.eventually('no controller has anything to do', async () =>
      (this.manager.health?.controllers ?? []).every(({ ready, running }) => ready === 0 && running === 0),
    )
  }
}

/** Values of feedback by name. */
type Values = Readonly<Record<string, string | number>>

/** What the agent of a cluster reports about one object of a work. */
export interface Reported {
  readonly group?: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
  readonly values: Values
}

/** Conditions of a work by type. */
export type WorkConditions = Readonly<Record<string, 'True' | 'False' | 'Unknown'>>

const APPLIED: WorkConditions = { Applied: 'True', Available: 'True' }

/** Reports the status of a work as the agent of its cluster does. */
export async function reportWork(
  hub: AddonHub,
  namespace: string,
  name: string,
  { conditions = APPLIED, objects = [] }: { conditions?: WorkConditions; objects?: readonly Reported[] } = {},
): Promise<void> {
  const work = await hub.hub.when(ManifestWork, { namespace, name })
  const { generation: observedGeneration } = work.metadata
  const lastTransitionTime = formatTime(hub.hub.clock.now())
  const about = { reason: 'Reported', lastTransitionTime, observedGeneration }
  const status = {
    conditions: Object.entries(conditions).map(([type, value]) => ({
      ...about,
      type,
      status: value,
      message: `${type} is ${value}`,
    })),
    resourceStatus: {
      manifests: objects.map(({ values, ...meta }, ordinal) => ({
        resourceMeta: { ordinal, ...meta },
        statusFeedback: {
          values: Object.entries(values).map(([key, value]) => ({ name: key, fieldValue: field(value) })),
        },
        conditions: [],
      })),
    },
  }
  await hub.client.patch(ManifestWork, { namespace, name }, { status } as never, { subresource: 'status' })
}

function field(value: string | number): object {
  return typeof value === 'string' ? { type: 'String', string: value } : { type: 'Integer', integer: value }
}

/** The status, reason and message of a condition of an add-on; undefined if it has none. */
export function conditionText({ status }: ManagedClusterAddOn, type: string): string | undefined {
  const condition = findCondition(status?.conditions, type)
  return condition && `${condition.status} ${condition.reason}: ${condition.message}`
}

/** Waits until a condition of an add-on is as expected. */
export async function hasCondition(hub: AddonHub, ref: ObjectRef, type: string, expected: string): Promise<void> {
  await hub.hub.when(ManagedClusterAddOn, ref, (addon) => conditionText(addon, type) === expected)
}

export function configMap(name: string, more: object = {}, annotations?: Record<string, string>): Manifest {
  const metadata = { namespace: 'default', name, ...(annotations !== undefined && { annotations }) }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more }
}

export function deployment(name: string, replicas = 1): Manifest {
  const app = { app: name }
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'agent', image: 'agent' }] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name },
    spec: { replicas, selector: { matchLabels: app }, template },
  }
}
