import type { NewManifestWork } from '@orrery/api'
import { isConflict, isNotFound, jsonEqual } from '@orrery/kinds/values'
import type { MaestroWorkClient } from '@orrery/maestro'
import { Command, InvalidArgumentError } from 'commander'
import { readManifests } from '../../shared/manifests.js'
import { print } from '../../shared/print.js'
import { eachOf } from '../option-parsers.js'
import { addConnectionOptions, type ConnectionOptions, withMaestro } from './connection.js'
import { forEachOf } from './each.js'
import { explainConsumer } from './not-found.js'
import { worksIn } from './works-in.js'

interface ApplyWorksOptions extends ConnectionOptions {
  readonly filename?: readonly string[]
  readonly consumer?: string
  readonly name?: string
}

interface ApplyConsumerOptions extends ConnectionOptions {
  readonly label?: Readonly<Record<string, string>>
}

type Result = 'created' | 'configured' | 'unchanged'

/** How often a work that changes meanwhile is read and updated again. */
const ATTEMPTS = 5

/** `orrery maestro apply`. */
export function maestroApplyCommand(): Command {
  return new Command('apply')
    .description('Create or change works and consumers of a Maestro server.')
    .addCommand(applyWorksCommand(), { isDefault: true })
    .addCommand(applyConsumerCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro apply consumer us-east-mgmt-01 --label region=us-east
  orrery maestro apply works -f work.yaml --consumer us-east-mgmt-01`,
    )
}

function applyWorksCommand(): Command {
  const command = new Command('works')
    .alias('work')
    .description('Create works, or replace their spec and merge their labels and annotations.')
    .option(
      '-f, --filename <file>',
      'file or directory with ManifestWorks in YAML or JSON, or - for standard input; can be repeated',
      eachOf,
    )
    .option('--consumer <name>', 'consumer of the works; required for works without a namespace')
    .option('--name <name>', 'deploy the objects in the files as one work with this name; requires --consumer')
    .addHelpText(
      'after',
      `
The namespace of a work is its consumer. With --name, the files contain the objects themselves instead of ManifestWorks.

Examples:
  orrery maestro apply works -f work.yaml
  orrery maestro apply works -f deployment.yaml --name web --consumer us-east-mgmt-01`,
    )
    .action(async (options: ApplyWorksOptions, self: Command) => {
      if (options.name !== undefined && options.consumer === undefined) {
        self.error("error: option '--name <name>' requires '--consumer <name>'")
      }
      // Not a required option: Commander would report it before an unknown command of `apply`.
      const { filename = self.error("error: required option '-f, --filename <file>' not specified") } = options
      const works = worksIn(await readManifests(filename), options)
      await withMaestro(options, { command: self, ports: 'rest and gRPC' }, async (client, server) => {
        await forEachOf(works, async ({ consumer, work }) => {
          const result = await applyWork(client, consumer, work).catch((error: unknown) => {
            throw explainConsumer(error, consumer, server)
          })
          print(`work ${consumer}/${work.metadata.name} ${result}`)
        })
      })
    })
  return addConnectionOptions(command)
}

function applyConsumerCommand(): Command {
  const command = new Command('consumer')
    .description('Create a consumer, or merge its labels.')
    .argument('<consumer>', 'name of the consumer')
    .option('--label <key=value>', 'label; can be repeated', labels)
    .addHelpText(
      'after',
      `
Examples:
  orrery maestro apply consumer us-east-mgmt-01 --label region=us-east --label tier=gold`,
    )
    .action(async (name: string, options: ApplyConsumerOptions, self: Command) => {
      const result = await withMaestro(options, { command: self, ports: 'rest' }, (client) =>
        applyConsumer(client, name, options.label ?? {}),
      )
      print(`consumer ${name} ${result}`)
    })
  return addConnectionOptions(command)
}

function labels(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? []
  if (key === undefined) throw new InvalidArgumentError('Use key=value.')
  return { ...before, [key]: value }
}

async function applyWork(client: MaestroWorkClient, consumer: string, work: NewManifestWork): Promise<Result> {
  const works = client.manifestWorks(consumer)
  const { name = '', labels, annotations } = work.metadata
  for (let attempt = 1; ; attempt++) {
    try {
      const current = await works.get(name)
      if (current.metadata.deletionTimestamp !== undefined) {
        throw new Error(`work ${consumer}/${name} is being deleted: apply it again when it is gone`)
      }
      const metadata = {
        ...current.metadata,
        ...(labels !== undefined && { labels: { ...current.metadata.labels, ...labels } }),
        ...(annotations !== undefined && { annotations: { ...current.metadata.annotations, ...annotations } }),
      }
      if (jsonEqual(metadata, current.metadata) && jsonEqual(work.spec, current.spec)) return 'unchanged'
      await works.update({ ...work, metadata })
      return 'configured'
    } catch (error) {
      if (isNotFound(error) && attempt < ATTEMPTS) {
        await works.create(work)
        return 'created'
      }
      if (!isConflict(error) || attempt === ATTEMPTS) throw error
    }
  }
}

async function applyConsumer(
  { consumers }: MaestroWorkClient,
  name: string,
  added: Readonly<Record<string, string>>,
): Promise<Result> {
  try {
    const current = await consumers.get(name)
    const wanted = { ...current.labels, ...added }
    if (jsonEqual(wanted, current.labels)) return 'unchanged'
    await consumers.setLabels(name, wanted)
    return 'configured'
  } catch (error) {
    if (!isNotFound(error)) throw error
    await consumers.create({ name, labels: added })
    return 'created'
  }
}
