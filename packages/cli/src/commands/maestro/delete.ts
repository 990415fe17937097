import { isNotFound } from '@orrery/kinds/values'
import type { MaestroWorkClient } from '@orrery/maestro'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { type Wait, waitOption, withTimeout } from '../wait.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'
import { consumerNotFound, requireConsumer, workNotFound } from './not-found.js'
import type { SelectedServer } from './selected-server.js'

interface DeleteConsumersOptions extends ConnectionOptions, IgnoreNotFoundOptions {
  readonly force?: boolean
}

interface DeleteWorksOptions extends ConnectionOptions, IgnoreNotFoundOptions {
  readonly consumer: string
  readonly wait?: Wait
}

/** `orrery maestro delete`. */
export function maestroDeleteCommand(): Command {
  return new Command('delete')
    .description('Delete works and consumers of a Maestro server.')
    .addCommand(deleteWorksCommand())
    .addCommand(deleteConsumersCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro delete works web --consumer us-east-mgmt-01 --wait
  orrery maestro delete consumers us-east-mgmt-01`,
    )
}

function deleteWorksCommand(): Command {
  const command = new Command('works')
    .alias('work')
    .description('Delete works and their objects on the cluster.')
    .argument('<work...>', 'names of works')
    .requiredOption('--consumer <name>', 'consumer of the works')
    .addOption(waitOption('wait until the agent has deleted the objects'))
    .addHelpText(
      'after',
      `
A work exists until the agent of the cluster has deleted its objects.

Examples:
  orrery maestro delete works web api --consumer us-east-mgmt-01
  orrery maestro delete works web --consumer us-east-mgmt-01 --wait 60`,
    )
    .action(async (names: readonly string[], options: DeleteWorksOptions, self: Command) => {
      await withMaestro(options, { command: self, ports: 'rest and gRPC' }, async (client, server) => {
        for (const name of names) await deleteWork(client, server, name, options)
      })
    })
  return addConnectionOptions(addIgnoreNotFoundOption(command))
}

async function deleteWork(
  client: MaestroWorkClient,
  server: SelectedServer,
  name: string,
  options: DeleteWorksOptions,
): Promise<void> {
  const { consumer, source, wait } = options
  const what = `work ${consumer}/${name}`
  try {
    await client.manifestWorks(consumer).delete(name)
  } catch (error) {
    if (!isNotFound(error)) throw error
    if (options.ignoreNotFound !== true) await requireConsumer(client, consumer, server)
    return reportNotFound(workNotFound(name, consumer, source, server).message, options)
  }
  print(`${what} is being deleted`)
  if (wait === undefined) return
  await withTimeout(
    wait,
    (limit) => `${what} still exists after ${limit}: check that the agent of the cluster is connected`,
    (signal) => whenDeleted(client, consumer, name, signal),
  )
  print(`${what} deleted`)
}

async function whenDeleted(
  client: MaestroWorkClient,
  consumer: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const works = client.manifestWorks(consumer)
  const gone = new AbortController()
  // A watch reports only deletions of works that it has seen: this one may be gone before the watch is connected.
  const onListed = () => {
    works.get(name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) gone.abort()
    })
  }
  for await (const { type } of works.watch({ name, signal: AbortSignal.any([signal, gone.signal]), onListed })) {
    if (type === 'DELETED') return
  }
  signal.throwIfAborted()
}

function deleteConsumersCommand(): Command {
  const command = new Command('consumers')
    .alias('consumer')
    .description('Delete consumers that have no works.')
    .argument('<consumer...>', 'names of consumers')
    .option('--force', 'also delete their works of all sources on the server, without waiting for the agent')
    .addHelpText(
      'after',
      `
Use --force for a cluster that no longer exists. If the cluster exists, its objects stay there.

Examples:
  orrery maestro delete consumers us-east-mgmt-01
  orrery maestro delete consumers us-east-mgmt-01 --force`,
    )
    .action(async (names: readonly string[], options: DeleteConsumersOptions, self: Command) => {
      await withMaestro(options, { command: self, ports: 'rest' }, async ({ consumers }, server) => {
        for (const name of names) {
          try {
            await consumers.delete(name, { force: options.force === true })
            print(`consumer ${name} deleted`)
          } catch (error) {
            if (!isNotFound(error)) throw error
            reportNotFound(consumerNotFound(name, server).message, options)
          }
        }
      })
    })
  return addConnectionOptions(addIgnoreNotFoundOption(command))
}
