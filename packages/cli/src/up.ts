import {
  type Fleet,
  type FleetDirectory,
  fleetDirectory,
  HUB,
  type PartState,
  problemOf,
  readPlan,
  shellWord,
  startFleet,
} from '@orrery/fleet'
import { withTimeLimit } from '@orrery/kube/process'
import { Command, Option } from 'commander'
import { clusterCount, directoryName, NEW_STORE } from './arguments.js'
import { announceBackground, startInBackground } from './background.js'
import { seconds } from './commands/option-parsers.js'
import { partCommand } from './entry.js'
import { EXIT_FAILED, reportFailure } from './failure.js'
import { prepareOvim, showOvimDemo } from './ovim-demo.js'
import { Progress } from './progress.js'
import { showSample } from './sample.js'
import { addOnName, fleetAddOns, prepareAddOns, showAddOns } from './shared/fleet-add-ons.js'
import { note, noteText, printText } from './shared/print.js'
import { addServingOptions, exposureNotice, hubSettings } from './shared/serving.js'
import { onStopSignal } from './shared/stop-signal.js'
import type { UpOptions } from './up-options.js'

/** How long `up` waits for all clusters, in seconds. */
const DEFAULT_TIMEOUT = 120

/** `orrery up`. */
export function upCommand(): Command {
  const command = new Command('up')
    .description('Start a hub and clusters that join it, on this machine.')
    .option('--clusters <number>', 'number of clusters (default: the current number, 2 in a new fleet)', clusterCount)
    .option('--data <dir>', 'data directory of the fleet (default: $ORRERY_DATA, else ~/.orrery/fleet)', directoryName)
    .option('--detach', 'run in the background and return when all clusters are available')
    .option('--sample', 'create a sample ManifestWork for every cluster and show its status')
    .option(
      '--addon <name>',
      'install an add-on: helloworld, basic-addon, or a directory with addon.json; repeatable',
      addOnName,
    )
    .option('--maestro', 'run a Maestro server, with a consumer for every cluster, now and at later starts')
    .option('--kubevirt', 'serve virtual machines with the API of KubeVirt on every cluster, now and at later starts')
    .option(
      '--ovim',
      'manage virtual machines across clusters, with a first one; implies --kubevirt; now and at later starts',
    )
    .option('--timeout <seconds>', 'how long to wait until all clusters are available', seconds, DEFAULT_TIMEOUT)
    .option('--new-store', NEW_STORE)
    .addOption(new Option('--background').hideHelp())
    .addHelpText(
      'after',
      `
If a cluster is not available in time, the command prints its name and the reason. The fleet keeps running and retries the
cluster. With --detach, the exit code is then 1. If the hub is not ready in time, the command stops the fleet and
exits with code 1.

Examples:
  orrery up                            start a hub and two clusters; Ctrl-C stops them
  orrery up --clusters 5 --detach      start five clusters in the background
  orrery up --sample                   run a sample workload on every cluster
  orrery up --addon helloworld --addon ./my-addon
                                       install add-ons on all clusters, now and at later starts
  orrery up --maestro                  serve works over CloudEvents too, for adapters and Maestro's clients
  orrery up --kubevirt                 run virtual machines on every cluster
  orrery up --ovim                     run virtual machines for tenants, from the hub: see \`orrery vm\`
  orrery up --bind-address 0.0.0.0 --port 7443
                                       accept clusters on other machines, now and at later starts
  kubectl --kubeconfig ~/.orrery/fleet/kubeconfig --context hub get managedclusters
  orrery down                          stop the fleet; \`orrery up\` resumes it
  rm -r ~/.orrery/fleet                delete the data of the stopped fleet`,
    )
    .action(run)
  return addServingOptions(command)
}

async function run(options: UpOptions): Promise<void> {
  const directory = fleetDirectory(options.data)
  const progress = new Progress(process.stderr)
  if (options.background === true) return announceBackground(directory, options)
  const { addon: addOns = [], ovim = false } = options
  await prepareAddOns(directory, addOns)
  await prepareOvim(directory, ovim)
  if (options.detach === true) {
    const unhealthy = await startInBackground(directory, options, progress)
    await showAddOns(directory, addOns, unhealthy)
    if (ovim) await showOvimDemo(directory, unhealthy)
    if (options.sample === true) await showSample(directory, unhealthy)
    printText(`\n${await howToUse(directory, progress, `Stop it with ${directory.command('down')}`)}`)
    await reportExposure(directory)
    reportUnhealthy(directory, unhealthy)
    if (unhealthy.length > 0) process.exitCode = EXIT_FAILED
    return
  }
  const fleet = await startFleet({
    directory,
    clusters: options.clusters,
    addOns: await fleetAddOns(addOns),
    parts: { maestro: options.maestro === true, kubevirt: options.kubevirt === true, ovim },
    hub: hubSettings(options),
    command: (part) => partCommand(directory, part, options.newStore === true),
    onChange: (state) => progress.update(state),
  })
  const stopping = stopOnSignal(fleet, progress)
  try {
    const unhealthy = await withTimeLimit(options.timeout * 1_000, stopping, (limit) => fleet.whenSettled(limit))
    if (!stopping.aborted) {
      await showAddOns(directory, addOns, unhealthy, stopping).catch((error: unknown) => reportFailure(error))
    }
    if (ovim && !stopping.aborted) {
      await showOvimDemo(directory, unhealthy, stopping).catch((error: unknown) => reportFailure(error))
    }
    if (options.sample === true && !stopping.aborted) {
      await showSample(directory, unhealthy, stopping).catch((error: unknown) => reportFailure(error))
    }
    progress.leave()
    if (!stopping.aborted) {
      printText(`\n${await howToUse(directory, progress, 'Stop it with Ctrl-C')}`)
      await reportExposure(directory)
      reportUnhealthy(directory, unhealthy)
    }
  } catch (error) {
    if (!stopping.aborted) throw error
  }
  await fleet.ended
}

/** Prints what other machines can reach. */
async function reportExposure(directory: FleetDirectory): Promise<void> {
  const hub = (await readPlan(directory))?.parts.find(({ name }) => name === HUB)
  const notice = hub === undefined ? '' : exposureNotice(hub, true)
  if (notice !== '') noteText(`\n${notice}`)
}

/** Prints the parts that did not become available in time, with the reasons. */
function reportUnhealthy(directory: FleetDirectory, unhealthy: readonly PartState[]): void {
  if (unhealthy.length === 0) return
  const names = unhealthy.map(({ name }) => name).join(', ')
  noteText(`\nNot available: ${names}. The rest of the fleet is running.\n`)
  for (const part of unhealthy) note(`  ${part.name}: ${problemOf(part)}`)
  note(`The fleet keeps retrying them. Run ${directory.command('status')} to see their status and what to do.`)
}

/** Stops the fleet on Ctrl-C. Returns a signal that is aborted then. */
function stopOnSignal(fleet: Fleet, progress: Progress): AbortSignal {
  const stopping = new AbortController()
  onStopSignal({
    stop() {
      stopping.abort()
      progress.print('\nstopping; press Ctrl-C again to stop at once')
      // `fleet.ended` reports the error.
      fleet.stop().catch(() => undefined)
    },
    force: () => fleet.kill(),
  })
  return stopping.signal
}

async function howToUse(directory: FleetDirectory, progress: Progress, stops: string): Promise<string> {
  const command = (name: string) => `  ${directory.command(name).replaceAll('`', '')}`
  const { maestro, ovim } = (await readPlan(directory)) ?? {}
  return [
    `The fleet is running after ${progress.elapsed}. Its kubeconfig has the contexts hub, cluster1, …:`,
    '',
    `  export KUBECONFIG=${shellWord(directory.kubeconfig)}`,
    '  kubectl --context hub get managedclusters',
    '  kubectl --context cluster1 get pods --all-namespaces',
    command('status'),
    ...(maestro === undefined ? [] : [command('maestro get consumers')]),
    ...(ovim === undefined ? [] : ['  kubectl --context hub get virtualmachinerequests --all-namespaces']),
    '',
    `${stops}. The next start resumes it.`,
    '',
  ].join('\n')
}
