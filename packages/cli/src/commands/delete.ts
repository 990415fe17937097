import { clusterNotFound, clusterSetNotFound, deleteClusterSet, revokeJoinTokens } from '@orrery/hub/operations'
import { Command } from 'commander'
import { print } from '../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { deletePlacementCommand } from './delete/placement.js'
import { deleteWorkCommand } from './delete/work.js'
import { detach } from './detach.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { seconds } from './option-parsers.js'
import { DEFAULT_WAIT } from './wait.js'

/** `orrery delete`. */
export function deleteCommand(): Command {
  return new Command('delete')
    .description('Delete works, cluster sets, placements and join tokens, or detach clusters.')
    .addCommand(deleteWorkCommand())
    .addCommand(deleteClusterSetCommand())
    .addCommand(deletePlacementCommand())
    .addCommand(deleteTokenCommand())
    .addCommand(deleteClusterCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery delete work web --clusters cluster1
  orrery delete token`,
    )
}

function deleteClusterSetCommand(): Command {
  const command = new Command('clusterset')
    .description('Delete a cluster set that has no clusters.')
    .argument('<clusterset>', 'name of the cluster set')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset set default --clusters cluster1 && orrery delete clusterset eu`,
    )
    .action(async (name: string, options: TargetOptions & IgnoreNotFoundOptions) => {
      const wasThere = await withHub(options, (client) => deleteClusterSet(client, name))
      if (wasThere) print(`cluster set ${name} deleted`)
      else reportNotFound(clusterSetNotFound(name), options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}

function deleteTokenCommand(): Command {
  const command = new Command('token')
    .description('Revoke all join tokens.')
    .addHelpText(
      'after',
      `
Clusters that have joined are not affected. Run \`orrery init\` to create a new token.

Examples:
  orrery delete token && orrery init`,
    )
    .action(async (options: TargetOptions & IgnoreNotFoundOptions) => {
      const { bootstrapToken, serviceAccount } = await withHub(options, (client) => revokeJoinTokens(client))
      if (bootstrapToken) print('bootstrap token deleted')
      if (serviceAccount) print('service account deleted with all its tokens')
      if (!bootstrapToken && !serviceAccount) {
        reportNotFound('no join token found: run `orrery init` to create one', options)
      }
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}

function deleteClusterCommand(): Command {
  const command = new Command('cluster')
    .description('Detach a cluster: delete its works and their objects, then the cluster on the hub.')
    .argument('<cluster>', 'name of the cluster')
    .option('--wait <seconds>', 'how long to wait until the cluster is deleted', seconds, DEFAULT_WAIT)
    .addHelpText(
      'after',
      `
The agent can join the cluster again while it has a bootstrap kubeconfig. Run \`orrery unjoin\` to remove that too.

Examples:
  orrery delete cluster edge1`,
    )
    .action(async (name: string, options: TargetOptions & IgnoreNotFoundOptions & { readonly wait: number }) => {
      const wasThere = await withHub(options, (client) => detach(client, name, options.wait))
      if (!wasThere) reportNotFound(clusterNotFound(name), options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}
