import { assignClusters, bindClusterSet, unbindClusterSet } from '@orrery/hub/operations'
import { Command } from 'commander'
import { print } from '../shared/print.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { nameList } from './option-parsers.js'

/** `orrery clusterset`. */
export function clusterSetCommand(): Command {
  return new Command('clusterset')
    .description('Assign clusters to cluster sets, and bind cluster sets to namespaces.')
    .addCommand(setCommand())
    .addCommand(bindCommand())
    .addCommand(unbindCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset set eu --clusters cluster1,cluster2
  orrery clusterset bind eu --namespace shop`,
    )
}

function setCommand(): Command {
  const command = new Command('set')
    .description('Move clusters to a cluster set.')
    .argument('<clusterset>', 'name of the cluster set')
    .requiredOption('--clusters <names>', 'clusters to move: a,b', nameList)
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset set eu --clusters cluster1,cluster2
  orrery clusterset set default --clusters cluster1       move a cluster back to the default set`,
    )
    .action(async (set: string, { clusters, ...target }: TargetOptions & { readonly clusters: readonly string[] }) => {
      const moved = await withHub(target, (client) => assignClusters(client, set, clusters))
      for (const name of clusters) {
        print(moved.includes(name) ? `cluster ${name} moved to ${set}` : `cluster ${name} is already in ${set}`)
      }
    })
  return addTargetOptions(command)
}

interface BindOptions extends TargetOptions {
  readonly namespace: string
}

function bindCommand(): Command {
  const command = new Command('bind')
    .description('Bind a cluster set to a namespace, so that its placements can select from the set.')
    .argument('<clusterset>', 'name of the cluster set')
    .requiredOption('-n, --namespace <name>', 'namespace on the hub')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset bind eu --namespace shop`,
    )
    .action(async (set: string, { namespace, ...target }: BindOptions) => {
      const isNew = await withHub(target, (client) => bindClusterSet(client, set, namespace))
      const state = isNew ? 'bound' : 'is already bound'
      print(`cluster set ${set} ${state} to namespace ${namespace}`)
    })
  return addTargetOptions(command)
}

function unbindCommand(): Command {
  const command = new Command('unbind')
    .description('Remove the binding of a cluster set to a namespace.')
    .argument('<clusterset>', 'name of the cluster set')
    .requiredOption('-n, --namespace <name>', 'namespace on the hub')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset unbind eu --namespace shop`,
    )
    .action(async (set: string, { namespace, ...options }: BindOptions & IgnoreNotFoundOptions) => {
      const wasBound = await withHub(options, (client) => unbindClusterSet(client, set, namespace))
      if (wasBound) print(`cluster set ${set} unbound from namespace ${namespace}`)
      else reportNotFound(`cluster set ${set} is not bound to namespace ${namespace}`, options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}
