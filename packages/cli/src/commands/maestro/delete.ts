import type { ManifestWork } from '@orrery/api'
import { isForbidden, isNotFound } from '@orrery/kinds/values'
import type { MaestroWorkClient } from '@orrery/maestro'
import { Command } from 'commander'
import { print } from '../../shared/print.js'
import { addIgnoreNotFoundOption, type IgnoreNotFoundOptions, reportNotFound } from '../ignore-not-found.js'
import { type Wait, waitOption, withTimeout } from '../wait.js'
import { problemsText } from './columns.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'
import { forEachOf } from './each.js'
import { listOfConsumers, requireConsumer, workNotFound } from './not-found.js'
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
        await forEachOf(names, (name) => deleteWork(client, server, name, options))
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
  // What the agent reports that it waits for.
  let problems = ''
  const onChange = (work: ManifestWork) => {
    problems = work.status?.conditions === undefined ? '' : problemsText(work)
  }
  await withTimeout(
    wait,
    (limit) => `${what} still exists after ${limit}: ${problems || noAnswer(consumer, server)}`,
    (signal) => whenDeleted(client, consumer, name, { signal, onChange }),
  )
  print(`${what} deleted`)
}

function noAnswer(consumer: string, { command, fleet }: SelectedServer): string {
  const check = 'check that the agent of the cluster is connected'
  // The consumers of a fleet are its clusters.
  if (fleet !== undefined) return check
  return `${check}. If the cluster is gone, run ${command(`maestro delete consumers ${consumer} --force`)}`
}

interface DeletionOptions {
  readonly signal: AbortSignal
  onChange(work: ManifestWork): void
}

async function whenDeleted(
  client: MaestroWorkClient,
  consumer: string,
  name: string,
  { signal, onChange }: DeletionOptions,
): Promise<void> {
  const works = client.manifestWorks(consumer)
  const gone = new AbortController()
  // A watch reports only deletions of works that it has seen: this one may be gone before the watch is connected.
  const onListed = () => {
    works.get(name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) gone.abort()
    })
  }
  for await (const { type, object } of works.watch({
    name,
    signal: AbortSignal.any([signal, gone.signal]),
    onListed,
  })) {
    if (type === 'DELETED') return
    onChange(object)
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
        await forEachOf(names, async (name) => {
          try {
            await consumers.delete(name, { force: options.force === true })
            print(`consumer ${name} deleted`)
          } catch (error) {
            if (!isNotFound(error)) throw explainWorks(error, name, server)
            reportNotFound(`consumer ${name} not found: ${listOfConsumers(server)}`, options)
          }
        })
      })
    })
  return addConnectionOptions(addIgnoreNotFoundOption(command))
}

/** The error for a consumer that has works. Others are returned unchanged. */
function explainWorks(error: unknown, name: string, { command }: SelectedServer): unknown {
  // The texts of Maestro and of this server begin with the same words.
  if (!isForbidden(error) || !/Resources associated with the consumer exist/i.test(error.message)) return error
  const list = command(`maestro get works --consumer ${name} --all-sources`)
  const forced = command(`maestro delete consumers ${name} --force`)
  return new Error(
    `consumer ${name} has works: list them with ${list} and delete them first. If its cluster is gone, run ${forced}`,
    { cause: error },
  )
}
