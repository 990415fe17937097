import { changePower, type PowerAction, whenMachineSettled } from '@orrery/ovim/client'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addOrganizationOption, type OrganizationOptions, organizationOf } from '../organization-options.js'
import { waitUntilSettled } from '../settling.js'
import { type Wait, waitOption } from '../wait.js'

interface PowerOptions extends TargetOptions, OrganizationOptions {
  readonly wait?: Wait
}

interface PowerHelp {
  readonly description: string
  readonly goal: string
  readonly already: string
}

const HELP: Readonly<Record<PowerAction, PowerHelp>> = {
  start: { description: 'Start virtual machines.', goal: 'run', already: 'is already requested to run' },
  stop: {
    description: 'Shut down virtual machines. Their disks are kept, except container disks without storage.',
    goal: 'are stopped',
    already: 'is already requested to stop',
  },
  restart: { description: 'Restart virtual machines.', goal: 'run again', already: 'is already being restarted' },
  pause: {
    description: 'Pause virtual machines: they keep their memory and use no CPU.',
    goal: 'are paused',
    already: 'is already requested to pause',
  },
  unpause: { description: 'Continue paused virtual machines.', goal: 'run', already: 'is not paused' },
}

/** `orrery vm start`, `stop`, `restart`, `pause` and `unpause`. */
export function powerCommand(action: PowerAction): Command {
  const { description, goal } = HELP[action]
  const command = new Command(action)
    .description(description)
    .argument('<vm...>', 'names of virtual machines')
    .addOption(waitOption(`wait until they ${goal}, and print each step`))
    .addHelpText(
      'after',
      `
Examples:
  orrery vm ${action} web --wait
  orrery vm ${action} web db --org acme`,
    )
    .action((names: readonly string[], options: PowerOptions) => run(action, names, options))
  return addTargetOptions(addOrganizationOption(command))
}

async function run(action: PowerAction, names: readonly string[], options: PowerOptions): Promise<void> {
  const { wait } = options
  await withHub(options, async (client) => {
    const organization = await organizationOf(client, options)
    for (const name of names) {
      const { isChanged } = await changePower(client, organization, name, { action, now: new Date() })
      print(`vm ${organization}/${name} ${isChanged ? `${action} requested` : HELP[action].already}`)
    }
    if (wait === undefined) return
    await Promise.all(
      names.map((name) =>
        waitUntilSettled(`vm ${organization}/${name}`, wait, (follow) =>
          whenMachineSettled(client, organization, name, follow),
        ),
      ),
    )
  })
}
