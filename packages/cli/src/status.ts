import { type ClusterStatus, type FleetStatus, fleetDirectory, type PartStatus, statusOf } from '@orrery/fleet'
import { Command } from 'commander'
import { directoryName } from './arguments.js'
import { EXIT_FAILED } from './failure.js'
import { ageOf } from './shared/age.js'
import { type OutputFormat, type OutputOptions, outputOption, show, showDocument } from './shared/output.js'
import { note, print } from './shared/print.js'
import type { Column } from './shared/table.js'

/** `orrery status`. */
export function statusCommand(): Command {
  return new Command('status')
    .description('Show the status of the local fleet. The exit code is 1 if a part, a cluster or a work has a problem.')
    .option('--data <dir>', 'data directory of the fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
Examples:
  orrery status                          show processes, clusters and their works
  orrery status -o json | jq .clusters   print JSON for scripts
  orrery status > /dev/null || echo 'the fleet has a problem'`,
    )
    .action(async ({ data, output }: OutputOptions & { data?: string }) => {
      const directory = fleetDirectory(data)
      const status = await statusOf(directory)
      if (status === undefined)
        throw new Error(`no fleet in ${directory.root}: start one with ${directory.command('up')}`)
      await printStatus(status, output)
      if (status.supervisor === undefined) note(`The fleet is stopped. Start it with ${directory.command('up')}.`)
      if (output !== 'json' && output !== 'yaml') {
        for (const { object, message } of status.problems) note(`${object}: ${message}`)
      }
      if (!status.isHealthy) process.exitCode = EXIT_FAILED
    })
}

const PARTS: readonly Column<PartStatus>[] = [
  { title: 'part', value: ({ name }) => name },
  { title: 'status', value: ({ phase }) => phase },
  { title: 'restarts', value: ({ restarts }) => restarts },
  { title: 'pid', value: ({ pid }) => pid },
  { title: 'version', value: ({ version }) => version },
  { title: 'url', value: ({ url }) => url },
  { title: 'detail', value: ({ detail }) => detail, wide: true },
]

const CLUSTERS: readonly Column<ClusterStatus>[] = [
  { title: 'cluster', value: ({ name }) => name },
  { title: 'accepted', value: ({ accepted }) => accepted },
  { title: 'joined', value: ({ joined }) => joined },
  { title: 'available', value: ({ available }) => available },
  { title: 'last renewal', value: ({ joined, renewed }) => (joined === 'True' ? ageOf(renewed) : undefined) },
  { title: 'works', value: ({ works }) => works.total },
  { title: 'applied', value: ({ works }) => works.applied },
  { title: 'works available', value: ({ works }) => works.available },
  { title: 'age', value: ({ created }) => ageOf(created) },
]

/** The Maestro server is a row of its own, after the hub that it runs in. */
function withMaestro({ parts, maestro }: FleetStatus): readonly PartStatus[] {
  const [hub, ...clusters] = parts
  if (hub === undefined || maestro === undefined) return parts
  const { pid, restarts } = hub
  const phase = maestro.isReady ? 'ready' : hub.phase === 'ready' ? 'unavailable' : hub.phase
  const row = { name: 'maestro', phase, restarts, url: maestro.rest, ...(pid !== undefined && { pid }) }
  return [hub, row, ...clusters]
}

async function printStatus(status: FleetStatus, output: OutputFormat): Promise<void> {
  if (output === 'json' || output === 'yaml') return showDocument(output, status)
  await show(output, { rows: withMaestro(status), columns: PARTS })
  for (const { name, unisolated } of status.parts) {
    if (unisolated !== undefined) note(`${name}: ${unisolated}`)
  }
  if (status.clusters.length === 0) return
  print('')
  await show(output, { rows: status.clusters, columns: CLUSTERS })
}
