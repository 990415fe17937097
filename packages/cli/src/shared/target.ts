import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type FleetDirectory, fleetDirectory, HUB } from '@orrery/fleet'
import {
  type ConfigSource,
  clientFrom,
  defaultSource,
  inClusterConfig,
  type KubeClient,
  KubeconfigError,
  kubeconfigSource,
  loadKubeconfig,
} from '@orrery/kube'
import { type Command, Option } from 'commander'
import { directoryName } from '../arguments.js'
import { explainFailure } from './explain.js'
import { plainText } from './table.js'

/** Which cluster a command talks to. */
export interface TargetOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly data?: string
  readonly inCluster?: boolean
}

/** A cluster, by what was typed. */
export interface Target {
  readonly source: ConfigSource
  /** The fleet it belongs to, if it is on this machine. */
  readonly fleet?: FleetDirectory
  /** Where it was found, in words. Set only if no option names it, and another cluster could be meant as well. */
  readonly origin?: string
}

const KUBECONFIG_HELP = 'kubeconfig to use (default: $KUBECONFIG, else that of the local fleet)'

/** `--data`, `--kubeconfig` and `--context`, for every command that talks to a cluster. */
export function addTargetOptions(command: Command, kubeconfigHelp = KUBECONFIG_HELP): Command {
  return command
    .option('--data <dir>', 'directory of the local fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--context <name>', 'context to use: of the file given, or else of the one that kubectl uses')
}

/** The same for commands that run an embedded part unless an option gives them a Kubernetes, whatever `KUBECONFIG` names. */
export function addPartTargetOptions(command: Command): Command {
  return addTargetOptions(command, 'kubeconfig of a Kubernetes to use (default: none, an embedded part is run)')
}

/** `--in-cluster` as well, for commands that may run in a pod of the cluster they are about. */
export function addInClusterOption(command: Command): Command {
  const option = new Option('--in-cluster', 'the cluster of the pod that this runs in, as its service account')
  return command.addOption(option.conflicts(['kubeconfig', 'context', 'data']))
}

/**
 * The cluster that a command talks to. The first of these decides:
 *
 * 1. `--in-cluster`, `--kubeconfig`, `--data`, `--context`;
 * 2. `KUBECONFIG`, if it is set;
 * 3. the local fleet, running or not, so that a command never goes to another cluster because the fleet is stopped;
 * 4. what kubectl would use.
 *
 * A kubeconfig that a fleet wrote stands for the hub of that fleet, whichever of its contexts is the current one.
 */
export function targetOf(options: TargetOptions): Target {
  const { kubeconfig, context, data, inCluster = false } = options
  if (inCluster) return { source: POD_SOURCE }
  if (kubeconfig !== undefined) return { source: kubeconfigSource({ path: kubeconfig, context }) }
  if (data !== undefined) return ofFleet(fleetDirectory(data), context ?? HUB)
  if (context !== undefined) return { source: defaultSource({ context }) }
  return unnamedTarget(HUB)
}

/** What is meant when no option names a cluster. */
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

/** The fleet that wrote the one kubeconfig that is named. */
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
    // One of them is not there.
    return false
  }
}

/** The cluster of the pod that this runs in. */
const POD_SOURCE: ConfigSource = {
  files: [],
  async read() {
    const config = await inClusterConfig()
    if (config !== undefined) return config
    throw new KubeconfigError(undefined, 'this is no pod with a service account: leave --in-cluster out')
  },
}

/** Why a fleet does not have a cluster; undefined if it has it, or is not there itself. */
export async function absenceFrom(fleet: FleetDirectory | undefined, cluster: string): Promise<string | undefined> {
  if (fleet === undefined || !existsSync(fleet.kubeconfig)) return undefined
  const { contexts } = await loadKubeconfig({ path: fleet.kubeconfig })
  if (contexts.has(cluster) && cluster !== HUB) return undefined
  const names = [...contexts.keys()].filter((name) => name !== HUB).join(', ')
  return `the fleet in ${fleet.root} has no cluster ${cluster}, but ${names || 'none'}: for one elsewhere, add --kubeconfig or --context`
}

/** A cluster of the local fleet by its name, which is the name of its context. */
export function clusterTarget({ data }: Pick<TargetOptions, 'data'>, cluster: string): Target {
  return ofFleet(fleetDirectory(data), cluster)
}

/**
 * A managed cluster, not its hub: the one that options or `KUBECONFIG` lead to, else the cluster of that name in the fleet
 * that is meant.
 */
export function managedTarget(options: TargetOptions, cluster: string): Target {
  if (isElsewhere(options)) return targetOf(options)
  return options.data === undefined ? unnamedTarget(cluster) : clusterTarget(options, cluster)
}

function ofFleet(fleet: FleetDirectory, context: string): Target {
  return { source: kubeconfigSource({ path: fleet.kubeconfig, context }), fleet }
}

/** Does something with a client of the target. Failures say what to do next. */
export async function withTarget<T>(target: Target, work: (client: KubeClient) => Promise<T>): Promise<T> {
  try {
    const client = await clientFrom(target.source, { fieldManager: 'orrery-cli', userAgent: 'orrery-cli' })
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
 * Does something with a client of the hub that is meant. If another one could be meant as well, people get to know which
 * one it is; programs, which read JSON and YAML, do not. Failures say what to do next. `fleet` is the one on this machine that
 * the hub belongs to.
 */
export async function withHub<T>(
  options: TargetOptions & { readonly output?: string },
  work: (client: KubeClient, fleet: FleetDirectory | undefined) => Promise<T>,
): Promise<T> {
  const target = targetOf(options)
  const { output = 'table' } = options
  return withTarget(target, async (client) => {
    if (output !== 'json' && output !== 'yaml') await nameHub(target)
    return work(client, target.fleet)
  })
}

/** Prints which hub is asked, if more than one could be meant. */
export async function nameHub({ source, origin }: Target): Promise<void> {
  if (origin === undefined) return
  const { server } = await source.read()
  process.stderr.write(`hub: ${plainText(server)} ${origin} (choose another with --kubeconfig, --context or --data)\n`)
}

/** Whether options name a cluster that is not of the local fleet. */
export function isElsewhere({ kubeconfig, context, data, inCluster = false }: TargetOptions): boolean {
  return inCluster || kubeconfig !== undefined || (context !== undefined && data === undefined)
}

/** What options that are for one kind of cluster only lack with the other. */
export const NEEDS_GIVEN = 'needs a Kubernetes that is given with --kubeconfig, --context or --in-cluster'
export const NEEDS_EMBEDDED =
  'is for embedded parts, and this one is given with --kubeconfig, --context or --in-cluster'
