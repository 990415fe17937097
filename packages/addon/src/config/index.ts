import type { ControllerSpec } from '@orrery/kube'
import type { ConfigKind } from '../agent-addon.js'
import type { AddonManagerContext } from '../manager/context.js'
import { addonConfig } from './addon-config.js'
import { ConfigObjects, configKinds } from './config-objects.js'
import { managementAddonConfig } from './management-addon-config.js'

/** The controllers for the configurations of add-ons. None run if no add-on supports configurations. */
export function configControllers(
  context: AddonManagerContext,
  kinds: readonly ConfigKind[] = configKinds(context.agents.values()),
): readonly ControllerSpec[] {
  if (kinds.length === 0) return []
  const configs = new ConfigObjects(context.informers, kinds)
  return [addonConfig(context, configs), managementAddonConfig(context, configs)]
}

export { ConfigNotReady } from './config-not-ready.js'
export { configSpecHash } from './spec-hash.js'
