import { type Fleet, type FleetDirectory, fleetDirectory, shellWord, startFleet } from '@orrery/fleet'
import { Command, Option } from 'commander'
import { clusterCount, directoryName, NEW_STORE } from './arguments.js'
import { announceBackground, startInBackground } from './background.js'
import { partCommand } from './entry.js'
import { reportFailure } from './failure.js'
import { Progress } from './progress.js'
import { showSample } from './sample.js'
import { onStopSignal } from './shared/stopsignal.js'

export interface UpOptions {
  readonly clusters?: number
  readonly data?: string
  readonly detach?: boolean
  readonly sample?: boolean
  readonly newStore?: boolean
  readonly background?: boolean
}

/** `orrery up`. */
export function upCommand(): Command {
  return new Command('up')
    .description('Start a hub and clusters that have joined it, all on this machine')
    .option('--clusters <number>', 'how many clusters (default: as many as there are, 2 in a new fleet)', clusterCount)
    .option(
      '--data <dir>',
      'directory that holds everything (default: $ORRERY_DATA, else ~/.orrery/fleet)',
      directoryName,
    )
    .option('--detach', 'return when all is available; `orrery down` stops it')
    .option('--sample', 'give every cluster a sample ManifestWork and show what comes back')
    .option('--new-store', NEW_STORE)
    .addOption(new Option('--background').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  orrery up                            a hub and two clusters; Ctrl-C stops them, the next start carries on
  orrery up --clusters 5 --detach      five clusters, in the background
  orrery up --sample                   with work for every cluster, and what becomes of it
  kubectl --kubeconfig ~/.orrery/fleet/kubeconfig --context hub get managedclusters
  orrery down                          stop what runs in the background
  rm -r ~/.orrery/fleet                forget it all`,
    )
    .action(run)
}

async function run(options: UpOptions): Promise<void> {
  const directory = fleetDirectory(options.data)
  const progress = new Progress(process.stderr)
  if (options.background === true) return announceBackground(directory, options)
  if (options.detach === true) {
    await startInBackground(directory, options, progress)
    if (options.sample === true) await showSample(directory)
    process.stdout.write(`\n${howToUse(directory, progress, `${directory.command('down')} stops it`)}`)
    return
  }
  const fleet = await startFleet({
    directory,
    clusters: options.clusters,
    command: (part) => partCommand(directory, part, options.newStore === true),
    onChange: (state) => progress.update(state),
  })
  const stopping = stopOnSignal(fleet, progress)
  try {
    await fleet.whenAvailable()
    if (options.sample === true) await showSample(directory, stopping).catch((error: unknown) => reportFailure(error))
    progress.leave()
    if (!stopping.aborted) process.stdout.write(`\n${howToUse(directory, progress, 'Ctrl-C stops it')}`)
  } catch (error) {
    if (!stopping.aborted) throw error
  }
  await fleet.ended
}

/** Returns what says when it was told to stop. */
function stopOnSignal(fleet: Fleet, progress: Progress): AbortSignal {
  const stopping = new AbortController()
  onStopSignal({
    stop() {
      stopping.abort()
      progress.say('\nstopping; Ctrl-C again does not wait')
      // Whatever goes wrong is heard of at the end of the fleet.
      fleet.stop().catch(() => undefined)
    },
    force: () => fleet.kill(),
  })
  return stopping.signal
}

function howToUse(directory: FleetDirectory, progress: Progress, stops: string): string {
  return [
    `The fleet is up after ${progress.elapsed}: contexts hub, cluster1, … in one kubeconfig.`,
    '',
    `  export KUBECONFIG=${shellWord(directory.kubeconfig)}`,
    '  kubectl --context hub get managedclusters',
    '  kubectl --context cluster1 get pods --all-namespaces',
    `  ${directory.command('status').replaceAll('`', '')}`,
    '',
    `${stops}; the next start carries on.`,
    '',
  ].join('\n')
}
