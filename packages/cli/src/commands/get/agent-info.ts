import { type AgentInfo, agentInfo } from '@orrery/agent/operations'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { ageOf } from '../../shared/age.js'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import { note } from '../../shared/print.js'
import {
  absenceFrom,
  addTargetOptions,
  clusterTarget,
  isElsewhere,
  type TargetOptions,
  targetOf,
  withTarget,
} from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'

interface AgentInfoOptions extends TargetOptions, OutputOptions {
  readonly clusterName?: string
}

/** `orrery get agent-info`. */
export function getAgentInfoCommand(): Command {
  const command = new Command('agent-info')
    // The name of the command in clusteradm.
    .alias('klusterlet-info')
    .description('Show details of the agent of a cluster. The exit code is 1 if it has not joined a hub.')
    .option('--cluster-name <name>', 'name of a cluster of the local fleet')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
--kubeconfig and --context select the managed cluster, not its hub.

Examples:
  orrery get agent-info --cluster-name cluster1     show the agent of a cluster of the local fleet
  orrery get agent-info --context edge              show the agent of an existing cluster`,
    )
    .action(run)
  return addTargetOptions(command)
}

async function run({ output, clusterName, ...options }: AgentInfoOptions, command: Command): Promise<void> {
  const target = targetFor(options, clusterName, command)
  const absence = clusterName === undefined ? undefined : await absenceFrom(target.fleet, clusterName)
  if (absence !== undefined) throw new Error(absence)
  const info = await withTarget(target, (cluster) => agentInfo(cluster))
  const hasJoined = info.certificateExpires !== undefined
  if (!hasJoined) process.exitCode = EXIT_FAILED
  if (output === 'json' || output === 'yaml') return showDocument(output, info)
  showDetails(detailsOf(info))
  if (!hasJoined && !info.hasBootstrapKubeconfig)
    note('The cluster has not joined a hub. Run `orrery join` to join one.')
}

function targetFor(options: TargetOptions, clusterName: string | undefined, command: Command) {
  if (clusterName === undefined) {
    const target = targetOf(options)
    if (isElsewhere(options) || target.fleet === undefined) return target
    command.error(
      'error: no cluster selected: set --cluster-name for a cluster of the local fleet, or --kubeconfig or --context',
    )
  }
  if (isElsewhere(options))
    command.error("error: option '--cluster-name <name>' cannot be used with --kubeconfig or --context")
  // The fleet that wrote the file that KUBECONFIG names, as for all commands.
  const { fleet } = targetOf(options)
  return clusterTarget(fleet === undefined ? options : { data: fleet.root }, clusterName)
}

function detailsOf(info: AgentInfo): readonly Detail[] {
  const {
    clusterName = 'none',
    agentName = 'none',
    hub = 'none',
    certificateExpires,
    hasBootstrapKubeconfig,
    works,
    leader,
  } = info
  const facts: Detail[] = [
    ['Cluster', clusterName],
    ['Agent', agentName],
    ['Hub', hub],
    ['Certificate', certificateExpires === undefined ? 'none' : validity(certificateExpires)],
    ['Bootstrap kubeconfig', hasBootstrapKubeconfig ? 'present' : 'none'],
    ['Works applied', String(works)],
  ]
  if (leader !== undefined) facts.push(['Leader', `${leader.holder}, last renewal ${ageOf(leader.renewed)} ago`])
  return facts
}

function validity(expires: Date): string {
  return `${expires.getTime() > Date.now() ? 'expires' : 'expired'} ${expires.toISOString()}`
}
