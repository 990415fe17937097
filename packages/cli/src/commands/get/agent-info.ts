import { type AgentInfo, agentInfo } from '@orrery/hub/operations'
import { Command } from 'commander'
import { EXIT_FAILED } from '../../failure.js'
import { ageOf } from '../../shared/age.js'
import { type OutputOptions, outputOption, showDocument } from '../../shared/output.js'
import {
  absenceFrom,
  addTargetOptions,
  clusterTarget,
  isElsewhere,
  type TargetOptions,
  targetOf,
  withTarget,
} from '../../shared/target.js'
import { type Fact, showFacts } from '../facts.js'

interface AgentInfoOptions extends TargetOptions, OutputOptions {
  readonly clusterName?: string
}

/** `orrery get agent-info`. */
export function getAgentInfoCommand(): Command {
  const command = new Command('agent-info')
    // As clusteradm calls it.
    .alias('klusterlet-info')
    .description('Show the agent of a cluster, and its hub; the exit code is 0 when it has joined')
    .option('--cluster-name <name>', 'which cluster of the local fleet')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
--kubeconfig and --context name the cluster that is managed, not its hub.

Examples:
  orrery get agent-info --cluster-name cluster1     a cluster of the local fleet
  orrery get agent-info --context edge              another one`,
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
  showFacts(factsOf(info))
  if (!hasJoined && !info.isInvited) process.stderr.write('it has no hub: `orrery join` makes it join one\n')
}

function targetFor(options: TargetOptions, clusterName: string | undefined, command: Command) {
  if (clusterName === undefined) {
    const target = targetOf(options)
    if (isElsewhere(options) || target.fleet === undefined) return target
    command.error('error: which cluster? Use --cluster-name for one of the local fleet, or --kubeconfig or --context')
  }
  if (isElsewhere(options)) command.error('error: --cluster-name is for the local fleet: leave it out')
  return clusterTarget(options, clusterName)
}

function factsOf(info: AgentInfo): readonly Fact[] {
  const { clusterName = 'none', agentName = 'none', hub = 'none', certificateExpires, isInvited, works, leader } = info
  const facts: Fact[] = [
    ['Cluster', clusterName],
    ['Agent', agentName],
    ['Hub', hub],
    ['Certificate', certificateExpires === undefined ? 'none: it has not joined' : validity(certificateExpires)],
    ['Bootstrap kubeconfig', isInvited ? 'there is one' : 'none'],
    ['Works applied', String(works)],
  ]
  if (leader !== undefined) facts.push(['Process', `${leader.holder}, last heard of ${ageOf(leader.renewed)} ago`])
  return facts
}

function validity(expires: Date): string {
  return `${expires.getTime() > Date.now() ? 'good until' : 'has expired at'} ${expires.toISOString()}`
}
