import type { KubeClient } from '@orrery/kube'
import { clientFrom } from '@orrery/kube'
import { systemClock } from '@orrery/kube/clock'
import { createLogger } from '@orrery/kube/log'
import type { ClosingStep } from '@orrery/kube/process'
import type { AddonAgent } from '../addon-agent.js'
import { type AgentFlags, type MoreFlags, parseAgentFlags } from './flags.js'
import { HubDenials } from './hub-denials.js'

/** Options of programs that act as the agent of an add-on. */
export interface AgentProgramOptions extends Partial<Pick<AddonAgent, 'clock' | 'log' | 'signal'>> {
  /** The name of the add-on. The flag `--addon-name` takes precedence. */
  readonly name: string
  /** The arguments of the program. Default `process.argv` without the program itself. */
  readonly args?: readonly string[]
  /** Flags of the program's own, with the default of each. Default none. */
  readonly flags?: MoreFlags
  /** Clients to use instead of those of the flags. They stay open. */
  readonly clients?: { readonly hub?: KubeClient; readonly managed?: KubeClient; readonly local?: KubeClient }
}

/** An agent with its clients, and the flags of its program. */
export interface ConnectedAgent extends AddonAgent {
  readonly flags: AgentFlags
  /** The cluster that the agent runs on: the managed cluster, or its hosting cluster. */
  readonly local: KubeClient
  /** What the hub denies the agent. */
  readonly denials: HubDenials
}

/**
 * Connects to the hub with the mounted kubeconfig, and to the managed cluster. Certificates and tokens are read again when they
 * are rotated.
 */
export async function connectAgent(
  options: AgentProgramOptions,
  signal: AbortSignal,
  open: ClosingStep[],
): Promise<ConnectedAgent> {
  const { name, args = process.argv.slice(2), clients = {}, clock = systemClock, log = createLogger() } = options
  const flags = parseAgentFlags(args, name, options.flags)
  const { addonName, clusterName, addonNamespace, hubKubeconfig, managedKubeconfig } = flags
  const connected = async (path: string | undefined) => {
    const client = await clientFrom(path, { userAgent: `${addonName}-agent`, clock, log: log.child('client') })
    open.push(() => client.close())
    return client
  }
  const given = clients.hub ?? (await connected(hubKubeconfig))
  const denials = new HubDenials(given.transport)
  const hub = given.withTransport(denials)
  const local = clients.local ?? clients.managed ?? (await connected(undefined))
  const managed = clients.managed ?? (managedKubeconfig === undefined ? local : await connected(managedKubeconfig))
  return { addonName, clusterName, addonNamespace, hub, managed, local, denials, clock, log, signal, flags }
}
