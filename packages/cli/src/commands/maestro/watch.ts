import { printable } from '@orrery/kube/log'
import type { WorkEvent } from '@orrery/maestro'
import { Command, Option } from 'commander'
import { onStopSignal } from '../../shared/stop-signal.js'
import { formatTable } from '../../shared/table.js'
import { WORK_COLUMNS } from './columns.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'

interface WatchOptions extends ConnectionOptions {
  readonly consumer?: string
  readonly selector?: string
  readonly output: 'table' | 'json'
}

const COLUMNS = [
  { title: 'event', value: ({ type }: WorkEvent) => type.padEnd('MODIFIED'.length) },
  ...WORK_COLUMNS.filter(({ wide }) => wide !== true).map(({ title, value }) => ({
    title,
    value: ({ object }: WorkEvent) => value(object),
  })),
]

/** `orrery maestro watch`. */
export function maestroWatchCommand(): Command {
  return new Command('watch')
    .description('Print changes of works of a Maestro server.')
    .addCommand(watchWorksCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro watch works --consumer us-east-mgmt-01`,
    )
}

function watchWorksCommand(): Command {
  const command = new Command('works')
    .alias('work')
    .description('Print existing works, then each change, until Ctrl-C.')
    .option('--consumer <name>', 'only works of this consumer')
    .option('-l, --selector <selector>', 'label selector, as in kubectl: app=web,tier!=back')
    .addOption(
      new Option('-o, --output <format>', 'output format; json prints one line for each event')
        .choices(['table', 'json'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
If the connection is lost, the command reconnects and prints what has changed meanwhile.

Examples:
  orrery maestro watch works
  orrery maestro watch works --consumer us-east-mgmt-01 -l app=web -o json`,
    )
    .action(async (options: WatchOptions, self: Command) => {
      const stop = new AbortController()
      onStopSignal({ stop: () => stop.abort() })
      await withMaestro(options, self, async (client) => {
        const { consumer, selector, output } = options
        const works = consumer === undefined ? client.manifestWorks() : client.manifestWorks(consumer)
        const selection = selector === undefined ? {} : { labelSelector: selector }
        let first: WorkEvent | undefined
        for await (const event of works.watch({ ...selection, signal: stop.signal })) {
          process.stdout.write(output === 'json' ? `${printable(JSON.stringify(event))}\n` : lineOf(event, first))
          first ??= event
        }
      })
    })
  return addConnectionOptions(command)
}

/** One row: the headings are above the first, whose columns the others follow. */
function lineOf(event: WorkEvent, first: WorkEvent | undefined): string {
  if (first === undefined) return formatTable([event], COLUMNS)
  return `${formatTable([first, event], COLUMNS).split('\n').at(-2)}\n`
}
