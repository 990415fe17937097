import { readFile } from 'node:fs/promises'
import { type FleetDirectory, fleetDirectory, HUB, readIfThere, settlePart } from '@orrery/fleet'
import { Command, InvalidArgumentError } from 'commander'
import { portNumber } from './arguments.js'
import { type PartHost, runPart } from './embeddedpart.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { addTargetOptions, type TargetOptions } from './shared/target.js'

interface AgentCommandOptions extends TargetOptions, LogOptions {
  readonly clusterName: string
  readonly bootstrapKubeconfig?: string
  readonly port?: number
}

/** `orrery agent`. */
export function agentCommand(): Command {
  const command = new Command('agent')
    .description('Run the agent of a cluster: of an embedded one, or of a given Kubernetes')
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub', clusterName)
    .option('--bootstrap-kubeconfig <file>', 'how to join the hub (default: as a cluster of the local fleet)')
    .option('--port <number>', 'port of an embedded cluster (default: the one it had)', portNumber)
    .addHelpText(
      'after',
      `
Examples:
  orrery agent --cluster-name edge            one more embedded cluster of the local fleet
  orrery agent --cluster-name edge --data ./edge --bootstrap-kubeconfig ./hub.kubeconfig
                                              an embedded cluster that joins a hub elsewhere`,
    )
    .action(run)
  return addLogOptions(addTargetOptions(command))
}

/** The name of the hub is taken: both have a context in the same kubeconfig. */
function clusterName(text: string): string {
  if (text === HUB) throw new InvalidArgumentError(`A cluster cannot be called ${HUB}.`)
  return text
}

async function run(options: AgentCommandOptions): Promise<void> {
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  await runPart(directory, async (host) => {
    const { port } = await settlePart(directory, options.clusterName)
    const bootstrap = bootstrapOf(options, directory, host)
    const { startClusterPart } = await import('@orrery/fleet/parts')
    return startClusterPart({
      directory,
      name: options.clusterName,
      port: options.port ?? port,
      bootstrap,
      log,
      report: host.report,
    })
  })
}

/** What to join with: given by people, or by the fleet when its hub is there. */
async function bootstrapOf(
  { bootstrapKubeconfig }: AgentCommandOptions,
  directory: FleetDirectory,
  { supervisor }: PartHost,
): Promise<string> {
  if (bootstrapKubeconfig !== undefined) return readFile(bootstrapKubeconfig, 'utf8')
  if (supervisor !== undefined) {
    return new Promise((resolve, reject) => {
      supervisor.onJoin(({ bootstrapFile }) => void readFile(bootstrapFile, 'utf8').then(resolve, reject))
    })
  }
  const text = await readIfThere(directory.bootstrap)
  if (text !== undefined) return text
  throw new Error(
    `there is no hub in ${directory.root} to join: start one with \`orrery up\` or \`orrery hub\`, ` +
      'or say with --bootstrap-kubeconfig how to join another',
  )
}
