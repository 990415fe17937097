import { ClusterManagementAddOn, type ConfigReference, ManagedClusterAddOn } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { type ControllerSpec, each, writeStatus } from '@orrery/kube'
import { refOfObject } from '@orrery/kube/write'
import type { AgentAddon } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'
import { type ConfigObjects, configKey, desiredObject, supportsConfig } from './config-objects.js'
import { configSpecHash } from './spec-hash.js'

const BY_CONFIG = 'addonByConfig'

/**
 * Keeps the generation of referenced configuration objects in `status.configReferences` of ManagedClusterAddOns, and the hash of
 * those that the ManagedClusterAddOn itself configures. The hub copies the hashes of all others from the ClusterManagementAddOn,
 * as far as their rollout has come.
 */
export function addonConfig(context: AddonManagerContext, configs: ConfigObjects): ControllerSpec {
  const { addons, agents, informers } = context
  const managementAddons = informers.of(ClusterManagementAddOn)
  addons.addIndex(BY_CONFIG, configKeys)
  return {
    name: 'addon-config-controller',
    concurrency: 10,
    wakes: [
      each(addons, undefined, { when: ({ before, after }) => !jsonEqual(concerning(before), concerning(after)) }),
      each(
        managementAddons,
        ({ metadata }) =>
          addons
            .list()
            .filter((addon) => addon.metadata.name === metadata.name)
            .map(refOfObject),
        {
          when: ({ type }) => type === 'added',
        },
      ),
      ...[...configs].map(([type, informer]) =>
        each(informer, ({ metadata: { namespace, name } }) =>
          addons.byIndex(BY_CONFIG, configKey({ ...type, namespace, name })).map(refOfObject),
        ),
      ),
    ],
    async reconcile({ namespace, name }, { client, signal }) {
      const agent = agents.get(name)
      const addon = addons.get({ namespace, name })
      if (agent === undefined || addon?.status?.configReferences === undefined) return
      if (managementAddons.get({ name }) === undefined) return
      const statusOf = (current: ManagedClusterAddOn) => ({
        ...current.status,
        configReferences: (current.status?.configReferences ?? []).map((reference) =>
          observed(reference, current, agent, configs),
        ),
      })
      await writeStatus(client, ManagedClusterAddOn, addon, statusOf, { signal })
    },
  }
}

function observed(
  reference: ConfigReference,
  { spec }: ManagedClusterAddOn,
  agent: AgentAddon,
  configs: ConfigObjects,
): ConfigReference {
  const wanted = desiredObject(reference)
  if (wanted === undefined || !supportsConfig(agent, reference)) return reference
  const object = configs.get(wanted)
  const isOwn = spec?.configs?.some((config) => configKey(config) === configKey(wanted)) ?? false
  if (object === undefined) return isOwn ? withoutHash(reference) : reference
  const { generation } = object.metadata
  return {
    ...reference,
    ...(generation !== undefined && { lastObservedGeneration: generation }),
    ...(isOwn && {
      desiredConfig: { ...reference.desiredConfig, name: wanted.name, specHash: configSpecHash(object) },
    }),
  }
}

/** A configuration that does not exist has no hash: nothing is rendered with it. */
function withoutHash({ desiredConfig, ...reference }: ConfigReference): ConfigReference {
  if (desiredConfig === undefined) return reference
  const { specHash: _, ...desired } = desiredConfig
  return { ...reference, desiredConfig: desired }
}

function configKeys({ status }: ManagedClusterAddOn): string[] {
  return (status?.configReferences ?? []).flatMap((reference) => {
    const wanted = desiredObject(reference)
    return wanted === undefined ? [] : [configKey(wanted)]
  })
}

function concerning(addon: ManagedClusterAddOn | undefined) {
  return addon === undefined
    ? null
    : [addon.metadata.uid, addon.spec?.configs ?? [], addon.status?.configReferences ?? []]
}
