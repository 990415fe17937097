import { isNotFound } from '@orrery/kinds/values'
import { Zone } from '@orrery/ovim'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { zoneNotFound } from './list.js'

const TEXTS = {
  cordon: 'Keep new virtual data centers and virtual machines out of a zone. Existing ones continue.',
  uncordon: 'Take new virtual data centers and virtual machines in a zone again.',
} as const

/** `orrery zone cordon` and `orrery zone uncordon`. */
export function schedulingCommand(action: keyof typeof TEXTS): Command {
  const command = new Command(action)
    .description(TEXTS[action])
    .argument('<zone>', 'name of the zone')
    .addHelpText(
      'after',
      `
Examples:
  orrery zone ${action} cluster1`,
    )
    .action(async (name: string, options: TargetOptions) => {
      const unschedulable = action === 'cordon'
      await withHub(options, (client) => client.patch(Zone, { name }, { spec: { unschedulable } })).catch((error) => {
        throw isNotFound(error) ? new Error(zoneNotFound(name), { cause: error }) : error
      })
      print(`zone ${name} ${action}ed`)
    })
  return addTargetOptions(command)
}
