import {
  type Fleet,
  type FleetDirectory,
  fleetDirectory,
  HUB,
  type PartState,
  readPlan,
  shellWord,
  startFleet,
  troubleOf,
} from '@orrery/fleet'
import { Command, Option } from 'commander'
import { clusterCount, directoryName, NEW_STORE } from './arguments.js'
import { announceBackground, startInBackground } from './background.js'
import { seconds } from './commands/words.js'
import { partCommand } from './entry.js'
import { EXIT_FAILED, reportFailure } from './failure.js'
import { Progress } from './progress.js'
import { showSample } from './sample.js'
import { addServingOptions, exposureNotice, hubWish, type ServingOptions } from './shared/serving.js'
import { onStopSignal } from './shared/stop-signal.js'
import { plainText } from './shared/table.js'

export interface UpOptions extends ServingOptions {
  readonly clusters?: number
  readonly data?: string
  readonly detach?: boolean
  readonly sample?: boolean
  readonly newStore?: boolean
  readonly background?: boolean
  readonly timeout: number
}

/** How long `up` waits for all clusters, in seconds. */
const DEFAULT_TIMEOUT = 120

/** `orrery up`. */
export function upCommand(): Command {
  const command = new Command('up')
    .description('Start a hub and clusters that have joined it, all on this machine')
    .option('--clusters <number>', 'how many clusters (default: as many as there are, 2 in a new fleet)', clusterCount)
    .option(
      '--data <dir>',
      'directory that holds everything (default: $ORRERY_DATA, else ~/.orrery/fleet)',
      directoryName,
    )
    .option('--detach', 'return when all is available; `orrery down` stops it')
    .option('--sample', 'give every cluster a sample ManifestWork and show what comes back')
    .option('--timeout <seconds>', 'how long to wait until every cluster is available', seconds, DEFAULT_TIMEOUT)
    .option('--new-store', NEW_STORE)
    .addOption(new Option('--background').hideHelp())
    .addHelpText(
      'after',
      `
If a cluster is not available in time, the command names it and the reason. The fleet keeps running, and the cluster is still
tried; with --detach the exit code is 1.

Examples:
  orrery up                            a hub and two clusters; Ctrl-C stops them, the next start carries on
  orrery up --clusters 5 --detach      five clusters, in the background
  orrery up --sample                   with work for every cluster, and what becomes of it
  orrery up --bind-address 0.0.0.0 --port 7443
                                       a hub that clusters on other machines can join, now and at later starts
  kubectl --kubeconfig ~/.orrery/fleet/kubeconfig --context hub get managedclusters
  orrery down                          stop what runs in the background
  rm -r ~/.orrery/fleet                forget it all`,
    )
    .action(run)
  return addServingOptions(command)
}

async function run(options: UpOptions): Promise<void> {
  const directory = fleetDirectory(options.data)
  const progress = new Progress(process.stderr)
  if (options.background === true) return announceBackground(directory, options)
  if (options.detach === true) {
    const troubled = await startInBackground(directory, options, progress)
    if (options.sample === true) await showSample(directory, troubled)
    process.stdout.write(`\n${howToUse(directory, progress, `${directory.command('down')} stops it`)}`)
    await reportExposure(directory)
    reportTroubled(directory, troubled)
    if (troubled.length > 0) process.exitCode = EXIT_FAILED
    return
  }
  const fleet = await startFleet({
    directory,
    clusters: options.clusters,
    hub: hubWish(options),
    command: (part) => partCommand(directory, part, options.newStore === true),
    onChange: (state) => progress.update(state),
  })
  const stopping = stopOnSignal(fleet, progress)
  try {
    const troubled = await fleet.whenSettled(AbortSignal.any([stopping, AbortSignal.timeout(options.timeout * 1_000)]))
    if (options.sample === true && !stopping.aborted) {
      await showSample(directory, troubled, stopping).catch((error: unknown) => reportFailure(error))
    }
    progress.leave()
    if (!stopping.aborted) {
      process.stdout.write(`\n${howToUse(directory, progress, 'Ctrl-C stops it')}`)
      await reportExposure(directory)
      reportTroubled(directory, troubled)
    }
  } catch (error) {
    if (!stopping.aborted) throw error
  }
  await fleet.ended
}

/** Tells what other machines reach, if they reach anything. */
async function reportExposure(directory: FleetDirectory): Promise<void> {
  const hub = (await readPlan(directory))?.parts.find(({ name }) => name === HUB)
  const notice = hub === undefined ? '' : exposureNotice(hub, true)
  if (notice !== '') process.stderr.write(`\n${notice}`)
}

/** Names the parts that are not available in time, and why. */
function reportTroubled(directory: FleetDirectory, troubled: readonly PartState[]): void {
  if (troubled.length === 0) return
  const names = troubled.map(({ name }) => name).join(', ')
  process.stderr.write(`\nNot available: ${names}. The rest of the fleet is up.\n`)
  for (const part of troubled) process.stderr.write(`  ${part.name}: ${plainText(troubleOf(part))}\n`)
  process.stderr.write(
    `They are still tried: ${directory.command('status')} shows what to do, and when they are available.\n`,
  )
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
