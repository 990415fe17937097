import {
  type AddOnChange,
  type AddOnReport,
  addOnOverviews,
  addOnReports,
  disableAddOns,
  enableAddOns,
} from '@orrery/hub/operations'
import { Command } from 'commander'
import { EXIT_FAILED } from '../failure.js'
import { ageOf } from '../shared/age.js'
import { type OutputOptions, outputOption, show } from '../shared/output.js'
import { print } from '../shared/print.js'
import { type Column, plainText } from '../shared/table.js'
import { addTargetOptions, type TargetOptions, withHub } from '../shared/target.js'
import { showConditions } from './add-on/conditions.js'
import { createAddOnCommand } from './add-on/create.js'
import { devCommand } from './add-on/dev.js'
import { printProblems, problemsOf } from './add-on/problems.js'
import { nameList } from './option-parsers.js'

/** `orrery addon`. */
export function addOnCommand(): Command {
  return new Command('addon')
    .description('Write add-ons, enable and disable them on clusters, and show their status and reports.')
    .addCommand(createAddOnCommand())
    .addCommand(devCommand())
    .addCommand(enableCommand())
    .addCommand(disableCommand())
    .addCommand(statusCommand())
    .addCommand(reportsCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery addon create node-report && cd node-report && npm install && orrery addon dev
  orrery addon enable helloworld --clusters cluster1
  orrery addon status helloworld
  orrery addon reports basic-addon --clusters cluster1`,
    )
}

interface ChangeOptions extends TargetOptions {
  readonly names?: readonly string[]
  readonly clusters: readonly string[]
  readonly namespace?: string
}

/** The options of `enable` and `disable`. `--names` is the option of clusteradm. */
function changeCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('[addon...]', 'names of add-ons')
    .option('--names <names>', 'names of add-ons, as in clusteradm: a,b', nameList)
    .requiredOption('--cluster, --clusters <names>', 'clusters: a,b', nameList)
}

/** The names of the arguments and of `--names`. */
function namesOf(command: Command, args: readonly string[], { names = [] }: ChangeOptions): readonly string[] {
  const all = [...new Set([...args, ...names])]
  if (all.length === 0) command.error('error: the name of an add-on is required')
  return all
}

function enableCommand(): Command {
  const command = changeCommand('enable', 'Enable add-ons on clusters.')
    .option('-n, --namespace <name>', 'namespace of the agents on the clusters (default: the one that the add-on sets)')
    .addHelpText(
      'after',
      `
Examples:
  orrery addon enable helloworld --clusters cluster1,cluster2
  orrery addon enable helloworld --clusters cluster1 --namespace default`,
    )
    .action(async (args: readonly string[], options: ChangeOptions, self: Command) => {
      const names = namesOf(self, args, options)
      const { clusters, namespace: installNamespace } = options
      const changes = await withHub(options, (client) => enableAddOns(client, { names, clusters, installNamespace }))
      printChanges(changes, 'enabled', 'is already enabled')
    })
  return addTargetOptions(command)
}

function disableCommand(): Command {
  const command = changeCommand('disable', 'Disable add-ons on clusters: their agents are deleted.')
    .addHelpText(
      'after',
      `
Pre-delete hooks of an add-on run first. Run \`orrery addon status\` to see what they wait for.

Examples:
  orrery addon disable helloworld --clusters cluster1`,
    )
    .action(async (args: readonly string[], options: ChangeOptions, self: Command) => {
      const names = namesOf(self, args, options)
      const changes = await withHub(options, (client) => disableAddOns(client, { names, clusters: options.clusters }))
      printChanges(changes, 'disabled', 'is not enabled')
    })
  return addTargetOptions(command)
}

function printChanges(changes: readonly AddOnChange[], done: string, before: string): void {
  for (const { cluster, name, isNew } of changes) {
    print(`add-on ${name} ${isNew ? done : before} on cluster ${cluster}`)
  }
}

interface ShowOptions extends TargetOptions, OutputOptions {
  readonly clusters?: readonly string[]
}

function statusCommand(): Command {
  const command = new Command('status')
    .description(
      'Show the conditions and problems of an add-on on each cluster. The exit code is 1 if there is a problem.',
    )
    .argument('<addon>', 'name of the add-on')
    .option('--cluster, --clusters <names>', 'show only these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The command reports problems of its conditions, of its pods on the clusters, of pending certificate requests, and of its
controller: the Deployments on the hub with the label open-cluster-management.io/addon-name, and those that the fleet was started with.

Examples:
  orrery addon status helloworld
  orrery addon status helloworld --clusters cluster1 -o json`,
    )
    .action(async (name: string, { clusters, output, ...target }: ShowOptions) => {
      await withHub({ ...target, output }, async (client, fleet) => {
        const rows = await addOnOverviews(client, { clusters, names: [name] })
        const problems = await problemsOf(client, fleet, name, rows)
        await showConditions(output, name, rows)
        if (output !== 'json' && output !== 'yaml') await printProblems(problems, client, fleet)
        if (rows.length === 0 || problems.length > 0 || rows.some(({ available }) => available !== 'True'))
          process.exitCode = EXIT_FAILED
      })
    })
  return addTargetOptions(command)
}

/** Longer values are cut in tables: a report can have 1 MiB. */
const SHOWN_LENGTH = 80

const REPORTS: readonly Column<AddOnReport>[] = [
  { title: 'cluster', value: ({ cluster }) => cluster },
  { title: 'strategy', value: ({ strategy }) => strategy },
  { title: 'name', value: ({ name }) => name },
  { title: 'value', value: ({ value }) => shortened(value) },
  { title: 'observed', value: ({ observed }) => (observed === undefined ? undefined : `${ageOf(observed)} ago`) },
]

function shortened(value: string): string {
  const text = plainText(value)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text
}

function reportsCommand(): Command {
  const command = new Command('reports')
    .description(
      'Show what an add-on has reported to the hub: ConfigMaps, conditions, scores, claims and work feedback.',
    )
    .argument('<addon>', 'name of the add-on')
    .option('--cluster, --clusters <names>', 'show only these clusters: a,b', nameList)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Objects on the hub belong to an add-on by the label open-cluster-management.io/addon-name, claims by their prefix NAME.

Examples:
  orrery addon reports basic-addon
  orrery addon reports basic-addon --clusters cluster1 -o json`,
    )
    .action(async (name: string, { clusters, output, ...target }: ShowOptions) => {
      const rows = await withHub({ ...target, output }, (client) => addOnReports(client, name, { clusters }))
      await show(output, { rows, columns: REPORTS, empty: `The add-on ${name} has reported nothing.` })
    })
  return addTargetOptions(command)
}
