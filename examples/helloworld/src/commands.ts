import { type Command, parseControllerFlags, runAddonManager } from '@orrery/addon'
import { runAddonAgent, runAddonTask } from '@orrery/addon/agent'
import { ConfigMap } from '@orrery/kinds'
import { helloworld } from './addon.js'
import { ADDON, AGENT, SYNCED_LABEL } from './names.js'
import { configMapSync } from './sync.js'

/** Runs on the hub. */
const controller: Command = (args) => {
  const { EXAMPLE_IMAGE_NAME: image = '' } = process.env
  const addon = helloworld(image === '' ? {} : { image })
  return runAddonManager({ name: `${ADDON}-controller`, addons: [addon], ...parseControllerFlags(args) })
}

/** Runs on each managed cluster. */
const agent: Command = (args) =>
  runAddonAgent({ name: ADDON, args, deployment: AGENT, controllers: (context) => [configMapSync(context)] })

/** Deletes the copies on a managed cluster, for a pre-delete hook. */
const cleanup: Command = (args) =>
  runAddonTask({ name: ADDON, args }, ({ managed, addonNamespace: namespace, signal }) =>
    managed.deleteCollection(ConfigMap, { namespace, labelSelector: `${SYNCED_LABEL}=` }, { signal }),
  )

export const commands = { controller, agent, cleanup }
