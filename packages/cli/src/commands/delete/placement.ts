import { deletePlacement, placementNotFound } from '@orrery/hub/operations'
import { Command } from 'commander'
import { addNamespaceOption, type NamespaceOptions, namespaceOf } from '../../shared/namespace.js'
import { print } from '../../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'

/** `orrery delete placement`. */
export function deletePlacementCommand(): Command {
  const command = new Command('placement')
    .description('Delete a placement and its decisions.')
    .argument('<placement>', 'name of the placement')
    .addHelpText(
      'after',
      `
Works that were created for its clusters are kept.

Examples:
  orrery delete placement web -n shop`,
    )
    .action(async (name: string, options: TargetOptions & NamespaceOptions & IgnoreNotFoundOptions) => {
      const namespace = await namespaceOf(options)
      const wasThere = await withHub(options, (client) => deletePlacement(client, { namespace, name }))
      if (wasThere) print(`placement ${namespace}/${name} deleted`)
      else reportNotFound(placementNotFound(namespace, name), options)
    })
  return addTargetOptions(addNamespaceOption(addIgnoreNotFoundOption(command)))
}
