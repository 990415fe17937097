import { Command } from 'commander'
import { createTemplateCommand } from './template/create.js'
import { deleteTemplateCommand, describeTemplateCommand } from './template/describe.js'
import { listTemplatesCommand } from './template/list.js'

/** `orrery template`. */
export function templateCommand(): Command {
  return new Command('template')
    .description('Manage templates of virtual machines: operating system, size and disk image.')
    .addCommand(listTemplatesCommand())
    .addCommand(createTemplateCommand())
    .addCommand(describeTemplateCommand())
    .addCommand(deleteTemplateCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery template list
  orrery template create fedora --container-disk quay.io/containerdisks/fedora:41 --memory 2Gi --storage 10Gi`,
    )
}
