import { fleetDirectory, HUB, settlePart } from '@orrery/fleet'
import { Command } from 'commander'
import { portNumber } from './arguments.js'
import { runPart } from './embeddedpart.js'
import { addLogOptions, type LogOptions, loggerOf } from './shared/logging.js'
import { addTargetOptions, type TargetOptions } from './shared/target.js'

interface HubCommandOptions extends TargetOptions, LogOptions {
  readonly port?: number
  readonly autoApprove?: boolean
}

/** `orrery hub`. */
export function hubCommand(): Command {
  const command = new Command('hub')
    .description('Run a hub: an embedded one, or the controllers of one on a given Kubernetes')
    .option('--port <number>', 'port of an embedded hub (default: the one it had)', portNumber)
    .option('--auto-approve', 'let in every cluster that comes with the bootstrap token')
    .addHelpText(
      'after',
      `
Examples:
  orrery hub                                 an embedded hub in the default directory, without clusters
  orrery hub --data ./fleet --port 7443      in another directory, on a port of your choice
  orrery hub --kubeconfig ~/.kube/config     on a Kubernetes that \`orrery init\` has prepared`,
    )
    .action(run)
  return addLogOptions(addTargetOptions(command))
}

async function run(options: HubCommandOptions): Promise<void> {
  const log = loggerOf(options)
  const directory = fleetDirectory(options.data)
  await runPart(directory, async ({ report }) => {
    const { port } = await settlePart(directory, HUB)
    // Whatever is not needed by all commands is loaded by those that need it.
    const { startHubPart } = await import('@orrery/fleet/parts')
    return startHubPart({
      directory,
      port: options.port ?? port,
      autoApprove: options.autoApprove === true,
      log,
      report,
    })
  })
}
