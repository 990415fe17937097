import { type Command, Option } from 'commander'
import { type TargetOptions, targetOf } from './target.js'

export interface NamespaceOptions {
  readonly namespace?: string
}

export interface NamespacesOptions extends NamespaceOptions {
  readonly allNamespaces?: boolean
}

/** `-n`, for commands about one object. */
export function addNamespaceOption(command: Command): Command {
  return command.option(
    '-n, --namespace <name>',
    "namespace on the hub (default: the context's namespace, else default)",
  )
}

/** `-n` and `-A`, for commands that list objects. */
export function addNamespacesOptions(command: Command): Command {
  const all = new Option('-A, --all-namespaces', 'show objects of all namespaces').conflicts('namespace')
  return addNamespaceOption(command).addOption(all)
}

/** The selected namespace, as kubectl selects it. */
export async function namespaceOf({ namespace, ...target }: NamespaceOptions & TargetOptions): Promise<string> {
  return namespace ?? (await targetOf(target).source.read()).namespace ?? 'default'
}

/** The selected namespace; undefined for all. */
export async function namespacesOf(options: NamespacesOptions & TargetOptions): Promise<string | undefined> {
  return options.allNamespaces === true ? undefined : namespaceOf(options)
}
