import { existsSync } from 'node:fs'
import { type FleetDirectory, fleetDirectory, HUB } from '@orrery/fleet'
import {
  type ConfigSource,
  clientFrom,
  defaultSource,
  inClusterConfig,
  type KubeClient,
  KubeconfigError,
  kubeconfigSource,
} from '@orrery/kube'
import { type Command, Option } from 'commander'
import { directoryName } from '../arguments.js'
import { explainFailure } from './explain.js'

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
}

/** `--data`, `--kubeconfig` and `--context`, for every command that talks to a cluster. */
export function addTargetOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'directory of the local fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .option('--kubeconfig <file>', 'kubeconfig of another cluster, instead of the local fleet')
    .option('--context <name>', 'context to use: of the file given, or else of the one that kubectl uses')
}

/** `--in-cluster` as well, for commands that may run in a pod of the cluster they are about. */
export function addInClusterOption(command: Command): Command {
  const option = new Option('--in-cluster', 'the cluster of the pod that this runs in, as its service account')
  return command.addOption(option.conflicts(['kubeconfig', 'context', 'data']))
}

/**
 * The cluster that is meant: the one given with `--kubeconfig` or `--context`; else the local fleet's hub, if there is a
 * local fleet, whether it runs or not, so that a command never goes to another cluster because the fleet is stopped; else
 * what kubectl would use.
 */
export function targetOf(options: TargetOptions): Target {
  const { kubeconfig, context, data, inCluster = false } = options
  if (inCluster) return { source: POD_SOURCE }
  if (kubeconfig !== undefined) return { source: kubeconfigSource({ path: kubeconfig, context }) }
  const fleet = fleetDirectory(data)
  if (data !== undefined || (context === undefined && existsSync(fleet.kubeconfig)))
    return ofFleet(fleet, context ?? HUB)
  return { source: defaultSource({ context }) }
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

/** A cluster of the local fleet by its name, which is the name of its context. */
export function clusterTarget({ data }: TargetOptions, cluster: string): Target {
  return ofFleet(fleetDirectory(data), cluster)
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

/** Does something with a client of the hub that is meant. Failures say what to do next. */
export function withHub<T>(options: TargetOptions, work: (client: KubeClient) => Promise<T>): Promise<T> {
  return withTarget(targetOf(options), work)
}

/** Whether a cluster is meant that is not of the local fleet. */
export function isElsewhere({ kubeconfig, context, data, inCluster = false }: TargetOptions): boolean {
  return inCluster || kubeconfig !== undefined || (context !== undefined && data === undefined)
}

/** What options that are for one kind of cluster only lack with the other. */
export const NEEDS_GIVEN = 'needs a Kubernetes that is given with --kubeconfig, --context or --in-cluster'
export const NEEDS_EMBEDDED =
  'is for embedded parts, and this one is given with --kubeconfig, --context or --in-cluster'
