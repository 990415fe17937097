import { assignClusters, bindClusterSet, unbindClusterSet } from '@orrery/hub/operations'
import { Command } from 'commander'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from './ignore-not-found.js'
import { nameList } from './words.js'

/** `orrery clusterset`. */
export function clusterSetCommand(): Command {
  return new Command('clusterset')
    .description('Put clusters into sets, and let namespaces use them')
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
    .description('Put clusters into a set, and take them out of the one they are in')
    .argument('<clusterset>', 'name of the set')
    .requiredOption('--clusters <names>', 'which ones: a,b', nameList)
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset set eu --clusters cluster1,cluster2
  orrery clusterset set default --clusters cluster1       back to where clusters begin`,
    )
    .action(async (set: string, { clusters, ...target }: TargetOptions & { readonly clusters: readonly string[] }) => {
      const moved = await withHub(target, (client) => assignClusters(client, set, clusters))
      for (const name of clusters) {
        process.stdout.write(moved.includes(name) ? `${name} is in ${set} now\n` : `${name} was in ${set} already\n`)
      }
    })
  return addTargetOptions(command)
}

interface BindOptions extends TargetOptions {
  readonly namespace: string
}

function bindCommand(): Command {
  const command = new Command('bind')
    .description('Let the placements of a namespace choose from a set')
    .argument('<clusterset>', 'name of the set')
    .requiredOption('-n, --namespace <name>', 'namespace on the hub')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset bind eu --namespace shop`,
    )
    .action(async (set: string, { namespace, ...target }: BindOptions) => {
      const isNew = await withHub(target, (client) => bindClusterSet(client, set, namespace))
      process.stdout.write(isNew ? `${set} is bound to ${namespace}\n` : `${set} was bound to ${namespace} already\n`)
    })
  return addTargetOptions(command)
}

function unbindCommand(): Command {
  const command = new Command('unbind')
    .description('Take a set away from the placements of a namespace')
    .argument('<clusterset>', 'name of the set')
    .requiredOption('-n, --namespace <name>', 'namespace on the hub')
    .addHelpText(
      'after',
      `
Examples:
  orrery clusterset unbind eu --namespace shop`,
    )
    .action(async (set: string, { namespace, ...options }: BindOptions & IgnoreNotFoundOptions) => {
      const wasBound = await withHub(options, (client) => unbindClusterSet(client, set, namespace))
      if (wasBound) process.stdout.write(`${set} is no longer bound to ${namespace}\n`)
      else reportNotFound(`cluster set ${set} is not bound to namespace ${namespace}`, options)
    })
  return addTargetOptions(addIgnoreNotFoundOption(command))
}
