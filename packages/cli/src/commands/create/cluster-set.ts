import { createClusterSet } from '@orrery/hub/operations'
import { parseLabelSelector } from '@orrery/kinds/values'
import { Command, InvalidArgumentError } from 'commander'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'

/** `orrery create clusterset`. */
export function createClusterSetCommand(): Command {
  const command = new Command('clusterset')
    .description('Create a cluster set.')
    .argument('<name>', 'name of the cluster set')
    .option(
      '--selector <labels>',
      'label selector of its clusters (default: clusters that are assigned to it)',
      labelSelector,
    )
    .addHelpText(
      'after',
      `
Examples:
  orrery create clusterset eu
  orrery create clusterset gpu --selector 'hardware in (a100, h100)'`,
    )
    .action(async (name: string, { selector, ...target }: TargetOptions & { readonly selector?: string }) => {
      await withHub(target, (client) => createClusterSet(client, name, selector === undefined ? {} : { selector }))
      print(`cluster set ${name} created`)
    })
  return addTargetOptions(command)
}

function labelSelector(text: string): string {
  try {
    parseLabelSelector(text)
    return text
  } catch (error) {
    throw new InvalidArgumentError(`Not a valid label selector: ${(error as Error).message}.`)
  }
}
