import { ClusterManagementAddOn, type ClusterManagementAddOnStatus, type ConfigSpecHash } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { type ControllerSpec, each, writeStatus } from '@orrery/kube'
import { refOfObject } from '@orrery/kube/write'
import type { AgentAddon } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'
import {
  type ConfigObjects,
  configKey,
  type DesiredConfigRef,
  desiredObject,
  supportsConfig,
} from './config-objects.js'
import { configSpecHash } from './spec-hash.js'

const BY_CONFIG = 'clusterManagementAddonByConfig'

/** Keeps the hashes of referenced configuration objects in the status of ClusterManagementAddOns. */
export function managementAddonConfig(
  { agents, informers }: AddonManagerContext,
  configs: ConfigObjects,
): ControllerSpec {
  const addons = informers.of(ClusterManagementAddOn)
  addons.addIndex(BY_CONFIG, configKeys)
  return {
    name: 'management-addon-config-controller',
    wakes: [
      each(addons, undefined, { when: ({ before, after }) => !jsonEqual(concerning(before), concerning(after)) }),
      ...[...configs].map(([type, informer]) =>
        each(informer, ({ metadata: { namespace, name } }) =>
          addons.byIndex(BY_CONFIG, configKey({ ...type, namespace, name })).map(refOfObject),
        ),
      ),
    ],
    async reconcile({ name }, { client, signal }) {
      const agent = agents.get(name)
      const addon = addons.get({ name })
      if (agent === undefined || addon?.status === undefined) return
      const hashed = <T extends DesiredConfigRef>(reference: T) => withHash(reference, agent, configs)
      const statusOf = ({ status }: ClusterManagementAddOn): ClusterManagementAddOnStatus => ({
        ...status,
        ...(status?.defaultConfigReferences && { defaultConfigReferences: status.defaultConfigReferences.map(hashed) }),
        ...(status?.installProgressions && {
          installProgressions: status.installProgressions.map(({ configReferences, ...progression }) => ({
            ...progression,
            ...(configReferences && { configReferences: configReferences.map(hashed) }),
          })),
        }),
      })
      await writeStatus(client, ClusterManagementAddOn, addon, statusOf, { signal })
    },
  }
}

/** The reference with the hash of its object. One that does not exist has no hash. */
function withHash<T extends DesiredConfigRef>(reference: T, agent: AgentAddon, configs: ConfigObjects): T {
  const wanted = desiredObject(reference)
  if (wanted === undefined || !supportsConfig(agent, reference)) return reference
  const object = configs.get(wanted)
  const { specHash: _, ...desired } = reference.desiredConfig as ConfigSpecHash
  return { ...reference, desiredConfig: { ...desired, ...(object && { specHash: configSpecHash(object) }) } }
}

function referencesOf({ status }: ClusterManagementAddOn): DesiredConfigRef[] {
  return [
    ...(status?.defaultConfigReferences ?? []),
    ...(status?.installProgressions ?? []).flatMap(({ configReferences = [] }) => configReferences),
  ]
}

function configKeys(addon: ClusterManagementAddOn): string[] {
  return referencesOf(addon).flatMap((reference) => {
    const wanted = desiredObject(reference)
    return wanted === undefined ? [] : [configKey(wanted)]
  })
}

function concerning(addon: ClusterManagementAddOn | undefined) {
  return addon === undefined ? null : [addon.metadata.uid, ...referencesOf(addon)]
}
