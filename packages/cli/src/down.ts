import { fleetDirectory, stopFleet } from '@orrery/fleet'
import { Command } from 'commander'
import { directoryName } from './arguments.js'

/** `orrery down`. */
export function downCommand(): Command {
  return new Command('down')
    .description('Stop the fleet that runs on this machine; its data stays')
    .option('--data <dir>', 'directory of the fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .addHelpText(
      'after',
      `
Examples:
  orrery down                     stop the hub and all clusters; \`orrery up\` carries on
  orrery down --data ./fleet      the fleet in another directory`,
    )
    .action(async ({ data }: { data?: string }) => {
      const directory = fleetDirectory(data)
      const wasRunning = await stopFleet(directory)
      process.stdout.write(
        wasRunning ? `stopped the fleet in ${directory.root}\n` : `no fleet runs in ${directory.root}\n`,
      )
    })
}
