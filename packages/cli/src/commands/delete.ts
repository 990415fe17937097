import { deleteClusterSet, revokeJoinTokens } from '@orrery/hub/operations'
import { Command } from 'commander'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { deleteWorkCommand } from './delete/work.js'
import { detach } from './detaching.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { DEFAULT_WAIT } from './patience.js'
import { seconds } from './words.js'

/** `orrery delete`. */
export function deleteCommand(): Command {
  return new Command('delete')
    .description('Delete works, cluster sets and tokens, and detach clusters')
    .addCommand(deleteWorkCommand())
    .addCommand(deleteClusterSetCommand())
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
    .description('Delete a set that has no clusters')
    .argument('<clusterset>', 'name of the set')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset set default --clusters cluster1 && orrery delete clusterset eu`,
    )
    .action(async (name: string, options: TargetOptions & IgnoreNotFoundOptions) => {
      const wasThere = await withHub(options, (client) => deleteClusterSet(client, name))
      if (wasThere) process.stdout.write(`cluster set ${name} deleted\n`)
      else reportNotFound(`there is no cluster set ${name}: see \`orrery get clustersets\``, options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}

function deleteTokenCommand(): Command {
  const command = new Command('token')
    .description('Make all tokens worthless that clusters can join with')
    .addHelpText(
      'after',
      `
Clusters that have joined stay. \`orrery init\` makes a new token.

Examples:
  orrery delete token && orrery init`,
    )
    .action(async (options: TargetOptions & IgnoreNotFoundOptions) => {
      const { bootstrapToken, serviceAccount } = await withHub(options, (client) => revokeJoinTokens(client))
      if (bootstrapToken) process.stdout.write('bootstrap token deleted\n')
      if (serviceAccount) process.stdout.write('service account deleted, with all its tokens\n')
      if (!bootstrapToken && !serviceAccount) {
        reportNotFound('there is no token to join with: `orrery init` makes one', options)
      }
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}

function deleteClusterCommand(): Command {
  const command = new Command('cluster')
    .description('Detach a cluster: its works go first, with what they put there')
    .argument('<cluster>', 'name of the cluster')
    .option('--wait <seconds>', 'how long to wait until it is gone', seconds, DEFAULT_WAIT)
    .addHelpText(
      'after',
      `
As long as its agent has a way in, the cluster can come back: \`orrery unjoin\` ends that, too.

Examples:
  orrery delete cluster edge1`,
    )
    .action(async (name: string, options: TargetOptions & IgnoreNotFoundOptions & { readonly wait: number }) => {
      const wasThere = await withHub(options, (client) => detach(client, name, options.wait))
      if (!wasThere) reportNotFound(`the hub has no cluster ${name}: see \`orrery get clusters\``, options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}
