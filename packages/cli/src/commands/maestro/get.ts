import type { ManifestWork } from '@orrery/api'
import type { MaestroWorkClient } from '@orrery/maestro'
import { Command } from 'commander'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import { CONSUMER_COLUMNS, WORK_COLUMNS } from './columns.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'

interface GetWorksOptions extends ConnectionOptions, OutputOptions {
  readonly consumer?: string
  readonly selector?: string
}

/** `orrery maestro get`. */
export function maestroGetCommand(): Command {
  return new Command('get')
    .description('Show works and consumers of a Maestro server.')
    .addCommand(getWorksCommand())
    .addCommand(getConsumersCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro get consumers
  orrery maestro get works --consumer us-east-mgmt-01`,
    )
}

function getWorksCommand(): Command {
  const command = new Command('works')
    .aliases(['work', 'manifestworks', 'manifestwork'])
    .description('Show the works of a source, and their status.')
    .argument('[work...]', 'names of works; requires --consumer (default: all)')
    .option('--consumer <name>', 'show only works of this consumer')
    .option('-l, --selector <selector>', 'label selector, as in kubectl: app=web,tier!=back')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro get works                                      list the works of the source on all consumers
  orrery maestro get works -l 'app in (web,db)' -o wide         add feedback values
  orrery maestro get works web --consumer us-east-mgmt-01 -o yaml`,
    )
    .action(async (names: readonly string[], options: GetWorksOptions, self: Command) => {
      const { consumer, selector, output } = options
      if (names.length > 0 && consumer === undefined) command.error("error: names of works require '--consumer <name>'")
      if (names.length > 0 && selector !== undefined) {
        command.error("error: option '--selector' cannot be used with names of works")
      }
      const rows = await withMaestro(options, self, (client) => worksOf(client, names, options))
      await show(output, {
        rows,
        columns: WORK_COLUMNS,
        document: names.length === 1 ? rows[0] : listOf(rows),
        empty: `No works of source ${options.source} found. Run \`orrery maestro apply works\` to create one.`,
      })
    })
  return addConnectionOptions(command)
}

async function worksOf(
  client: MaestroWorkClient,
  names: readonly string[],
  { consumer, selector }: GetWorksOptions,
): Promise<ManifestWork[]> {
  if (consumer !== undefined && names.length > 0) {
    const works = client.manifestWorks(consumer)
    return Promise.all(names.map((name) => works.get(name)))
  }
  const works = consumer === undefined ? client.manifestWorks() : client.manifestWorks(consumer)
  const { items } = await works.list(selector === undefined ? {} : { labelSelector: selector })
  const key = ({ metadata }: ManifestWork) => `${metadata.namespace}/${metadata.name}`
  return items.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function getConsumersCommand(): Command {
  const command = new Command('consumers')
    .alias('consumer')
    .description('Show consumers: the clusters that works can be deployed to.')
    .argument('[consumer...]', 'names of consumers (default: all)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro get consumers
  orrery maestro get consumers us-east-mgmt-01 -o json`,
    )
    .action(async (names: readonly string[], options: ConnectionOptions & OutputOptions, self: Command) => {
      const rows = await withMaestro(options, self, async ({ consumers }) =>
        names.length === 0 ? consumers.list() : Promise.all(names.map((name) => consumers.get(name))),
      )
      const sorted = rows.sort((a, b) => (a.name < b.name ? -1 : 1))
      await show(options.output, {
        rows: sorted,
        columns: CONSUMER_COLUMNS,
        document: names.length === 1 ? sorted[0] : { kind: 'ConsumerList', items: sorted },
        empty: 'No consumers found. Run `orrery maestro apply consumer` to create one.',
      })
    })
  return addConnectionOptions(command)
}
