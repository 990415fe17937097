import { isNotFound } from '@orrery/kinds/values'
import type { MaestroWorkClient, SourceWork } from '@orrery/maestro'
import { Command } from 'commander'
import { listOf, type OutputOptions, outputOption, show } from '../../shared/output.js'
import type { Column } from '../../shared/table.js'
import { printProblems } from '../get/works.js'
import { CONSUMER_COLUMNS, WORK_COLUMNS, WORK_PROBLEMS } from './columns.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'
import { connectionErrorIn } from './explain-failure.js'
import { consumerNotFound, requireConsumer, workNotFound } from './not-found.js'
import type { SelectedServer } from './selected-server.js'

interface GetWorksOptions extends ConnectionOptions, OutputOptions {
  readonly consumer?: string
  readonly selector?: string
  readonly allSources?: boolean
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
    .option('--all-sources', 'show the works of all sources')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro get works                                      list the works of the source on all consumers
  orrery maestro get works --all-sources                        list the works of all sources, with the source of each
  orrery maestro get works -l 'app in (web,db)' -o wide         add feedback values
  orrery maestro get works web --consumer us-east-mgmt-01 -o yaml`,
    )
    .action(async (names: readonly string[], options: GetWorksOptions, self: Command) => {
      const { consumer, selector, output } = options
      if (names.length > 0 && consumer === undefined) command.error("error: names of works require '--consumer <name>'")
      if (names.length > 0 && selector !== undefined) {
        command.error("error: option '--selector' cannot be used with names of works")
      }
      if (names.length > 0 && options.allSources === true) {
        command.error("error: option '--all-sources' cannot be used with names of works")
      }
      // A source of $MAESTRO_SOURCE_ID is no contradiction.
      if (options.allSources === true && self.getOptionValueSource('source') === 'cli') {
        command.error("error: option '--all-sources' cannot be used with option '--source <id>'")
      }
      const { rows, empty } = await withMaestro(options, { command: self, ports: 'rest' }, async (client, server) => {
        const rows = await worksOf(client, names, server, options)
        return { rows, empty: rows.length === 0 ? await whyEmpty(client, server, options) : '' }
      })
      const works = rows.map(({ work }) => work)
      const documents = options.allSources === true ? rows.map(({ source, work }) => ({ ...work, source })) : works
      await show(output, {
        rows,
        columns: options.allSources === true ? [SOURCE_COLUMN, ...SOURCE_WORK_COLUMNS] : SOURCE_WORK_COLUMNS,
        document: names.length === 1 ? works[0] : listOf(documents),
        empty,
      })
      if (output === 'table' || output === 'wide') printProblems(works, WORK_PROBLEMS)
    })
  return addConnectionOptions(command)
}

const SOURCE_COLUMN: Column<SourceWork> = { title: 'source', value: ({ source }) => source }

const SOURCE_WORK_COLUMNS: readonly Column<SourceWork>[] = WORK_COLUMNS.map(({ value, ...column }) => ({
  ...column,
  value: ({ work }: SourceWork) => value(work),
}))

async function worksOf(
  client: MaestroWorkClient,
  names: readonly string[],
  server: SelectedServer,
  { consumer, selector, allSources, source }: GetWorksOptions,
): Promise<SourceWork[]> {
  const selection = selector === undefined ? {} : { labelSelector: selector }
  if (consumer !== undefined && names.length > 0) {
    const works = client.manifestWorks(consumer)
    const get = (name: string) =>
      works.get(name).catch(async (error: unknown) => {
        if (!isNotFound(error)) throw error
        await requireConsumer(client, consumer, server)
        throw workNotFound(name, consumer, source, server)
      })
    return Promise.all(names.map(async (name) => ({ source, work: await get(name) })))
  }
  const key = ({ work: { metadata }, source }: SourceWork) => `${metadata.namespace}/${metadata.name}/${source}`
  const inOrder = (works: SourceWork[]) => works.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  if (allSources === true) {
    const everywhere = { ...selection, ...(consumer !== undefined && { consumer }) }
    return inOrder(await client.everySource.list(everywhere).catch(explainUnsupported))
  }
  const works = consumer === undefined ? client.manifestWorks() : client.manifestWorks(consumer)
  const { items } = await works.list(selection)
  return inOrder(items.map((work) => ({ source, work })))
}

/** Maestro's own server has no sources in its responses: it ends the connection. */
function explainUnsupported(error: unknown): never {
  if (connectionErrorIn(error)?.sent !== true) throw error
  throw new Error(
    'the server does not list the works of all sources: omit --all-sources, and select one with --source',
    {
      cause: error,
    },
  )
}

/** The message for an empty table. An unknown consumer is an error. */
async function whyEmpty(
  client: MaestroWorkClient,
  server: SelectedServer,
  { source, consumer, selector, allSources }: GetWorksOptions,
): Promise<string> {
  if (consumer !== undefined) await requireConsumer(client, consumer, server)
  const ofSource = allSources === true ? '' : ` of source ${source}`
  const where = consumer === undefined ? '' : ` for consumer ${consumer}`
  const which = selector === undefined ? '' : ` with the labels ${selector}`
  const nothing = `No works${ofSource}${where}${which} found on ${server.connection.apiUrl}.`
  const others =
    allSources === true ? 0 : await client.everySource.countOthers(consumer === undefined ? {} : { consumer })
  if (others === 0) return `${nothing} Create one with ${server.command('maestro apply works -f <file>')}.`
  return `${nothing} Other sources have ${others}: show them with --all-sources, or select a source with --source.`
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
      const rows = await withMaestro(options, { command: self, ports: 'rest' }, async ({ consumers }, server) => {
        const get = (name: string) =>
          consumers.get(name).catch((error: unknown) => {
            throw isNotFound(error) ? consumerNotFound(name, server) : error
          })
        return names.length === 0 ? consumers.list() : Promise.all(names.map(get))
      })
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
