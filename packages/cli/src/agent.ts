import { fleetDirectory, settlePart } from '@orrery/fleet'
import { Command } from 'commander'
import { portNumber } from './arguments.js'
import { runPart } from './embeddedpart.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { addTargetOptions, type TargetOptions } from './shared/target.js'

interface AgentCommandOptions extends TargetOptions, LogOptions {
  readonly clusterName: string
  readonly port?: number
}

/** `orrery agent`. */
export function agentCommand(): Command {
  const command = new Command('agent')
    .description('Run the agent of a cluster: of an embedded one, or of a given Kubernetes')
    .requiredOption('--cluster-name <name>', 'name of the cluster on the hub')
    .option('--port <number>', 'port of an embedded cluster (default: the one it had)', portNumber)
    .action(run)
  return addLogOptions(addTargetOptions(command))
}

async function run(options: AgentCommandOptions): Promise<void> {
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  await runPart(directory, async ({ report }) => {
    const { port } = await settlePart(directory, options.clusterName)
    const { startClusterPart } = await import('@orrery/fleet/parts')
    return startClusterPart({
      directory,
      name: options.clusterName,
      port: options.port ?? port,
      bootstrap: Promise.resolve(''),
      log,
      report,
    })
  })
}
