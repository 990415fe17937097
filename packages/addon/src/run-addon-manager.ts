import { clientFrom, KubeClient, runControllers } from '@orrery/kube'
import type { RunControllersOptions, RunningControllers } from '@orrery/kube/manager'
import type { AgentAddon } from './agent-addon.js'
import { addonClient } from './api-version.js'
import { addonControllers } from './controllers.js'
import { addTo } from './manager/agents.js'
import { addonManagerContext } from './manager/context.js'
import { Trigger } from './manager/trigger.js'

/** How to run the controllers of add-ons as a program. */
export interface RunAddonManagerOptions extends Omit<RunControllersOptions, 'controllers' | 'kinds' | 'onStart'> {
  /** The add-ons to manage. */
  readonly addons: readonly AgentAddon[]
  /** Called when the controllers have started, or wait to lead. */
  readonly onStart?: (running: RunningAddonManager) => void
}

/** An add-on manager that `runAddonManager` has started. */
export interface RunningAddonManager extends RunningControllers {
  /** Renders the manifests of an add-on for a cluster again. */
  trigger(clusterName: string, addonName: string): void
}

/**
 * Runs the controllers of add-ons until a signal stops them: connects to the hub, takes part in the election, serves probes
 * and metrics. Resolves when everything is closed.
 */
export async function runAddonManager(options: RunAddonManagerOptions): Promise<void> {
  const { addons, onStart, cluster, ...rest } = options
  const agents = new Map<string, AgentAddon>()
  for (const addon of addons) addTo(agents, addon)
  if (agents.size === 0) throw new TypeError('addons is empty: there is no add-on to manage')
  const trigger = new Trigger()
  const client = cluster instanceof KubeClient ? cluster : await clientFrom(cluster, { userAgent: rest.name })
  try {
    await runControllers({
      ...rest,
      cluster: addonClient(client),
      controllers: (manager) =>
        addonControllers(addonManagerContext(manager, agents, (informer) => trigger.wake(informer))),
      onStart: (running) =>
        onStart?.({
          get health() {
            return running.health
          },
          metrics: running.metrics,
          probePort: running.probePort,
          whenRunning: () => running.whenRunning(),
          trigger: (namespace, name) => void trigger.fire({ namespace, name }),
        }),
    })
  } finally {
    // A client that was given stays open.
    if (client !== cluster) client.close()
  }
}
