import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type FleetDirectory, fleetDirectory, HUB } from '@orrery/fleet'
import { clientFrom, type KubeClient } from '@orrery/kube'
import {
  type ConfigSource,
  defaultSource,
  inClusterConfig,
  KubeconfigError,
  kubeconfigSource,
  loadKubeconfig,
} from '@orrery/kube/kubeconfig'
import { type Command, Option } from 'commander'
import { directoryName } from '../arguments.js'
import { explainFailure } from './explain.js'
import { note } from './print.js'

/** The options that select the cluster of a command. */
export interface TargetOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly data?: string
  readonly inCluster?: boolean
}

/** Who makes requests: a command, or a program that runs until it is stopped. */
type Requester = 'orrery-cli' | 'orrery-hub' | 'orrery-agent'

/** The selected cluster. */
export interface Target {
  readonly source: ConfigSource
  /** The local fleet that the cluster belongs to. */
  readonly fleet?: FleetDirectory
  /** Where the cluster was found. Set only if no option selects it and the selection is ambiguous. */
  readonly origin?: string
  /** The field manager and user agent of requests: `orrery-cli` for commands that end. */
  readonly requester?: Requester
}

const KUBECONFIG_HELP = 'kubeconfig file (default: $KUBECONFIG, else the kubeconfig of the local fleet)'

const CONTEXT_HELP = 'context of the kubeconfig (default: the current context, or the hub of a fleet)'

/** `--data`, `--kubeconfig` and `--context`, for every command that talks to a cluster. */
export function addTargetOptions(
  command: Command,
  kubeconfigHelp = KUBECONFIG_HELP,
  contextHelp = CONTEXT_HELP,
): Command {
  return command
    .option(
      '--data <dir>',
      'data directory of the local fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)',
      directoryName,
    )
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', contextHelp)
}

/** The same for commands that run an embedded part unless an option selects an existing cluster. They ignore `KUBECONFIG`. */
export function addPartTargetOptions(command: Command): Command {
  return addTargetOptions(
    command,
    'kubeconfig of an existing cluster (default: none, runs embedded)',
    'context of that file, or of the file that kubectl uses (default: the current context of that file)',
  )
}

/** `--in-cluster`, for commands that can run in a pod of the cluster. */
export function addInClusterOption(command: Command): Command {
  const option = new Option('--in-cluster', "use the cluster of the current pod, with the pod's service account")
  return command.addOption(option.conflicts(['kubeconfig', 'context', 'data']))
}

/**
 * Selects the cluster of a command. The first of these applies:
 *
 * 1. `--in-cluster`, `--kubeconfig`, `--data`, `--context`;
 * 2. `KUBECONFIG`, if it is set;
 * 3. the local fleet, running or not, so that a command never selects another cluster because the fleet is stopped;
 * 4. the default kubeconfig of kubectl.
 *
 * A kubeconfig written by a fleet selects the hub of that fleet, whatever its current context is.
 */
export function targetOf(options: TargetOptions): Target {
  const { kubeconfig, context, data, inCluster = false } = options
  if (inCluster) return { source: POD_SOURCE }
  if (kubeconfig !== undefined) return { source: kubeconfigSource({ path: kubeconfig, context }) }
  if (data !== undefined) return ofFleet(fleetDirectory(data), context ?? HUB)
  if (context !== undefined) return { source: defaultSource({ context }) }
  return unnamedTarget(HUB)
}

/** The cluster if no option selects one. */
function unnamedTarget(fleetContext: string): Target {
  const local = fleetDirectory()
  const hasLocal = existsSync(local.kubeconfig)
  const source = defaultSource()
  if (hasKubeconfigVariable()) {
    const fleet = fleetOf(source.files)
    const isOther = hasLocal && fleet?.root !== local.root
    return {
      ...(fleet === undefined ? { source } : ofFleet(fleet, fleetContext)),
      ...(isOther && { origin: 'of $KUBECONFIG' }),
    }
  }
  if (!hasLocal) return { source }
  const isOther = source.files.some((file) => existsSync(file))
  return { ...ofFleet(local, fleetContext), ...(isOther && { origin: 'of the local fleet' }) }
}

function hasKubeconfigVariable(): boolean {
  return (process.env.KUBECONFIG ?? '') !== ''
}

/** The fleet that wrote the kubeconfig. */
function fleetOf(files: readonly string[]): FleetDirectory | undefined {
  const [file, ...more] = files
  if (file === undefined || more.length > 0) return undefined
  const local = fleetDirectory()
  if (isSameFile(file, local.kubeconfig)) return local
  const fleet = fleetDirectory(dirname(file))
  return basename(file) === basename(fleet.kubeconfig) && existsSync(fleet.plan) ? fleet : undefined
}

function isSameFile(one: string, other: string): boolean {
  try {
    return one === other || realpathSync(one) === realpathSync(other)
  } catch {
    // One of the files does not exist.
    return false
  }
}

/** The cluster of the current pod. */
const POD_SOURCE: ConfigSource = {
  files: [],
  async read() {
    const config = await inClusterConfig()
    if (config !== undefined) return config
    throw new KubeconfigError(undefined, 'no service account found: --in-cluster requires a pod with a service account')
  },
}

/** An error message if an existing fleet does not have the cluster. */
export async function absenceFrom(fleet: FleetDirectory | undefined, cluster: string): Promise<string | undefined> {
  if (fleet === undefined || !existsSync(fleet.kubeconfig)) return undefined
  const { contexts } = await loadKubeconfig({ path: fleet.kubeconfig })
  if (contexts.has(cluster) && cluster !== HUB) return undefined
  const names = [...contexts.keys()].filter((name) => name !== HUB).join(', ')
  return `cluster ${cluster} not found in the fleet in ${fleet.root} (clusters: ${names || 'none'}): for another cluster, set --kubeconfig or --context`
}

/** A cluster of the local fleet by its name, which is the name of its context. */
export function clusterTarget({ data }: Pick<TargetOptions, 'data'>, cluster: string): Target {
  return ofFleet(fleetDirectory(data), cluster)
}

/**
 * Selects a managed cluster, not its hub: the one that options or `KUBECONFIG` select, else the cluster of that name in the
 * local fleet.
 */
export function managedTarget(options: TargetOptions, cluster: string): Target {
  if (isElsewhere(options)) return targetOf(options)
  return options.data === undefined ? unnamedTarget(cluster) : clusterTarget(options, cluster)
}

function ofFleet(fleet: FleetDirectory, context: string): Target {
  return { source: kubeconfigSource({ path: fleet.kubeconfig, context }), fleet }
}

/** Calls `work` with a client of the target. Adds advice to errors. */
export async function withTarget<T>(target: Target, work: (client: KubeClient) => Promise<T>): Promise<T> {
  try {
    const { source, requester = 'orrery-cli' } = target
    const client = await clientFrom(source, { fieldManager: requester, userAgent: requester })
    try {
      return await work(client)
    } finally {
      client.close()
    }
  } catch (error) {
    throw explainFailure(error, target.fleet)
  }
}

/**
 * Calls `work` with a client of the selected hub. If the selection is ambiguous, prints which hub it is, except with
 * `-o json` and `-o yaml`. Adds advice to errors. `fleet` is the local fleet that the hub belongs to.
 */
export async function withHub<T>(
  options: TargetOptions & { readonly output?: string; readonly requester?: Requester },
  work: (client: KubeClient, fleet: FleetDirectory | undefined) => Promise<T>,
): Promise<T> {
  const { output = 'table', requester } = options
  const target: Target = { ...targetOf(options), ...(requester !== undefined && { requester }) }
  return withTarget(target, async (client) => {
    if (output !== 'json' && output !== 'yaml') await nameHub(target)
    return work(client, target.fleet)
  })
}

/** Prints the selected hub if the selection is ambiguous. */
async function nameHub({ source, origin }: Target): Promise<void> {
  if (origin === undefined) return
  const { server } = await source.read()
  note(`hub: ${server} ${origin} (select another with --kubeconfig, --context or --data)`)
}

/** Whether options select a cluster outside the local fleet. */
export function isElsewhere({ kubeconfig, context, data, inCluster = false }: TargetOptions): boolean {
  return inCluster || kubeconfig !== undefined || (context !== undefined && data === undefined)
}

/** Usage errors of options that apply to one of the two cases only. */
export const NEEDS_EXISTING_CLUSTER = 'requires an existing cluster: add --kubeconfig, --context or --in-cluster'
export const NEEDS_EMBEDDED = 'cannot be used with --kubeconfig, --context or --in-cluster'
