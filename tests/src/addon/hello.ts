import assert from 'node:assert/strict'
import type { AgentAddon } from '@orrery/addon'
import { ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { AddonHub } from './addon-hub.js'

/** The add-on of the tests, and its first work. */
export const REF = { namespace: 'c1', name: 'hello' }
export const WORK = { namespace: 'c1', name: 'addon-hello-deploy-0' }

export function hello(manifests: AgentAddon['manifests'], more: Partial<AgentAddon> = {}): AgentAddon {
  return { name: 'hello', manifests, ...more }
}

/** A hub with one cluster, whose add-on is registered. */
export async function startHello(t: Parameters<typeof AddonHub.start>[0], addon: AgentAddon): Promise<AddonHub> {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  await hub.addon('c1', 'hello')
  return hub
}

/** The names of the manifests of a work. */
export function namesIn({ spec }: ManifestWork): unknown[] {
  return (spec?.workload?.manifests ?? []).map(({ metadata }) => metadata?.name)
}

/** Checks that the controllers change nothing when they reconcile the add-on again. */
export async function writesNothing(hub: AddonHub): Promise<void> {
  await hub.settle()
  const before = await versions(hub)
  hub.manager.trigger(REF.namespace, REF.name)
  await hub.settle()
  assert.deepEqual(await versions(hub), before)
}

/** The resourceVersions of everything that the controllers write. */
async function versions({ client }: AddonHub): Promise<string[]> {
  const [works, addons] = await Promise.all([client.list(ManifestWork), client.list(ManagedClusterAddOn)])
  return [...works.items, ...addons.items].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
}
