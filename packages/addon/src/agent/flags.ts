import { parseArgs } from 'node:util'
import { ADDON_NAMESPACE } from '@orrery/api'

/** Arguments that a program cannot be run with. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

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

const TEXT = { type: 'string' } as const

/** Parses the flags of an add-on's agent. Throws a `UsageError` that names the flag. */
export function parseAgentFlags(args: readonly string[], addonName: string, more: MoreFlags = {}): AgentFlags {
  const own = Object.fromEntries(Object.keys(more).map((name) => [name, TEXT]))
  const values = parsed(args, {
    'hub-kubeconfig': TEXT,
    'managed-kubeconfig': TEXT,
    'cluster-name': TEXT,
    'addon-namespace': TEXT,
    'addon-name': TEXT,
    ...own,
  })
  return {
    hubKubeconfig: required(values, 'hub-kubeconfig', 'the path of the kubeconfig for the hub'),
    managedKubeconfig: values['managed-kubeconfig'] || undefined,
    clusterName: required(values, 'cluster-name', 'the name of the managed cluster'),
    addonNamespace: values['addon-namespace'] || ADDON_NAMESPACE,
    addonName: values['addon-name'] || addonName,
    more: Object.fromEntries(Object.entries(more).map(([name, value]) => [name, values[name] ?? value])),
  }
}

type Values = Readonly<Record<string, string | undefined>>

function parsed(args: readonly string[], options: Readonly<Record<string, typeof TEXT>>): Values {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new UsageError(`${firstSentence((error as Error).message)}: the flags are ${known.join(', ')}`)
  }
}

function firstSentence(text: string): string {
  return text.split('. ', 1)[0] ?? text
}

function required(values: Values, name: string, what: string): string {
  const value = values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is required: ${what}`)
  return value
}
