import { ADDON_NAMESPACE } from '@orrery/api'
import { type FlagValues, parseFlags, textFlag } from '../program/flags.js'
import { UsageError } from '../program/usage-error.js'

/** The flags of an add-on's agent, as in Open Cluster Management. */
export interface AgentFlags {
  /** The kubeconfig for the hub, from the Secret `<add-on>-hub-kubeconfig`. */
  readonly hubKubeconfig: string
  /** The kubeconfig of the managed cluster, if the agent runs on a hosting cluster. */
  readonly managedKubeconfig: string | undefined
  readonly clusterName: string
  /** The namespace of the agent. Default `open-cluster-management-agent-addon`. */
  readonly addonNamespace: string
  readonly addonName: string
  /** The flags of the program's own. */
  readonly more: Readonly<Record<string, string>>
}

/** Names of flags of a program's own, with the default of each. */
export type MoreFlags = Readonly<Record<string, string>>

const FLAGS = ['hub-kubeconfig', 'managed-kubeconfig', 'cluster-name', 'addon-namespace', 'addon-name']

/** Parses the flags of an add-on's agent. Throws a `UsageError` that names the flag. */
export function parseAgentFlags(args: readonly string[], addonName: string, more: MoreFlags = {}): AgentFlags {
  const values = parseFlags(args, [...FLAGS, ...Object.keys(more)])
  return {
    hubKubeconfig: required(values, 'hub-kubeconfig', 'the path of the kubeconfig for the hub'),
    managedKubeconfig: textFlag(values, 'managed-kubeconfig'),
    clusterName: required(values, 'cluster-name', 'the name of the managed cluster'),
    addonNamespace: textFlag(values, 'addon-namespace') ?? ADDON_NAMESPACE,
    addonName: textFlag(values, 'addon-name') ?? addonName,
    more: Object.fromEntries(Object.entries(more).map(([name, value]) => [name, textFlag(values, name) ?? value])),
  }
}

function required(values: FlagValues, name: string, what: string): string {
  const value = textFlag(values, name)
  if (value === undefined) throw new UsageError(`--${name} is required: ${what}`)
  return value
}
