import { fleetDirectory, stopFleet } from '@orrery/fleet'
import { Command } from 'commander'
import { directoryName } from './arguments.js'
import { print } from './shared/print.js'

/** `orrery down`. */
export function downCommand(): Command {
  return new Command('down')
    .description('Stop the fleet on this machine and keep its data.')
    .option('--data <dir>', 'data directory of the fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .addHelpText(
      'after',
      `
Examples:
  orrery down                     stop the hub and all clusters; \`orrery up\` resumes them
  orrery down --data ./fleet      stop the fleet in another directory`,
    )
    .action(async ({ data }: { data?: string }) => {
      const directory = fleetDirectory(data)
      const wasRunning = await stopFleet(directory)
      print(wasRunning ? `stopped the fleet in ${directory.root}` : `the fleet in ${directory.root} is not running`)
    })
}
