import { printable } from '@orrery/kube/log'
import type { MaestroWorkClient, WorkWatchOptions } from '@orrery/maestro'
import { Command, Option } from 'commander'
import { note, printDocument, printText } from '../../shared/print.js'
import { onStopSignal } from '../../shared/stop-signal.js'
import { errorMessage } from '../../system-error.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'
import { explainMaestroFailure } from './explain-failure.js'
import { requireConsumer } from './not-found.js'
import type { SelectedServer } from './selected-server.js'
import { WatchTable } from './watch-table.js'

interface WatchOptions extends ConnectionOptions {
  readonly consumer?: string
  readonly selector?: string
  readonly output: 'table' | 'json'
}

/** `orrery maestro watch`. */
export function maestroWatchCommand(): Command {
  return new Command('watch')
    .description('Print changes of works of a Maestro server.')
    .addCommand(watchWorksCommand(), { isDefault: true })
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
      await withMaestro(options, { command: self, ports: 'rest and gRPC' }, (client, server) =>
        watch(client, server, options, stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted) throw error
        }),
      )
    })
  return addConnectionOptions(command)
}

async function watch(
  client: MaestroWorkClient,
  server: SelectedServer,
  { consumer, selector, output, source }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const works = consumer === undefined ? client.manifestWorks() : client.manifestWorks(consumer)
  const selection = selector === undefined ? {} : { labelSelector: selector }
  // A watch retries until it is stopped: errors of its options and of the address should end the command.
  await works.list({ ...selection, limit: 1, signal })
  if (consumer !== undefined) await requireConsumer(client, consumer, server)
  const table = new WatchTable()
  if (output === 'table') {
    note(`Watching works of source ${source} on ${server.connection.apiUrl}. Stop with Ctrl-C.`)
    printText(table.heading)
  }
  const unreachable = new AbortController()
  const reports = reportsOf(server, (error) => unreachable.abort(error))
  const stopped = AbortSignal.any([signal, unreachable.signal])
  try {
    for await (const event of works.watch({ ...selection, signal: stopped, ...reports })) {
      printDocument(output === 'json' ? `${printable(JSON.stringify(event))}\n` : table.rowOf(event))
    }
  } finally {
    unreachable.signal.throwIfAborted()
  }
}

/** Prints when the connection is lost, with the first reason, and when it is back. */
function reportsOf(
  server: SelectedServer,
  onUnreachable: (error: unknown) => void,
): Pick<WorkWatchOptions, 'onDisconnected' | 'onListed'> {
  let wasConnected = false
  let isLost = false
  return {
    onDisconnected(error) {
      if (!wasConnected) return onUnreachable(error)
      const reason = errorMessage(explainMaestroFailure(error, server)).replaceAll('\n', '. ')
      if (!isLost) note(`disconnected, retrying: ${reason}`)
      isLost = true
    },
    onListed() {
      wasConnected = true
      if (isLost) note('connected')
      isLost = false
    },
  }
}
