import { createClusterSet } from '@orrery/hub/operations'
import { parseLabelSelector } from '@orrery/kube'
import { Command, InvalidArgumentError } from 'commander'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'

/** `orrery create clusterset`. */
export function createClusterSetCommand(): Command {
  const command = new Command('clusterset')
    .description('Create a set of clusters')
    .argument('<name>', 'name of the set')
    .option(
      '--selector <labels>',
      'clusters with these labels are in it (default: those that are put into it)',
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
      process.stdout.write(`cluster set ${name} created\n`)
    })
  return addTargetOptions(command)
}

function labelSelector(text: string): string {
  try {
    parseLabelSelector(text)
    return text
  } catch (error) {
    throw new InvalidArgumentError(`It is no label selector: ${(error as Error).message}.`)
  }
}
