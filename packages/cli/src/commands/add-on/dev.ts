import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import {
  applyManifests,
  type FleetDirectory,
  fleetDirectory,
  HUB,
  readPlan,
  registerPrograms,
  restartPrograms,
  shellWord,
  startFleet,
  watchAddOnProblems,
} from '@orrery/fleet'
import type { KubeClient } from '@orrery/kube'
import { withTimeLimit } from '@orrery/kube/process'
import { Command } from 'commander'
import { clusterCount, directoryName } from '../../arguments.js'
import { partCommand } from '../../entry.js'
import { reportFailure } from '../../failure.js'
import { Progress } from '../../progress.js'
import {
  fleetAddOns,
  prepareAddOns,
  type ReadAddOn,
  readAddOn,
  showAddOns,
  warnOfPlayed,
} from '../../shared/fleet-add-ons.js'
import { note, printText } from '../../shared/print.js'
import { onStopSignal } from '../../shared/stop-signal.js'
import { clusterTarget, withTarget } from '../../shared/target.js'
import { printProblems } from './problems.js'
import { watchSources } from './source-watch.js'

interface DevOptions {
  readonly clusters?: number
  readonly data?: string
}

/** How long a new fleet may take to start. */
const START_MS = 120_000
/** How long a change may take to be applied. */
const APPLY_MS = 60_000

/** `orrery addon dev`. */
export function devCommand(): Command {
  return new Command('dev')
    .description('Run a hub, clusters and an add-on, and restart the add-on when its files change.')
    .argument('[directory]', 'directory of the add-on, with addon.json', '.')
    .option('--clusters <number>', 'number of clusters (default: the current number, 1 in a new fleet)', clusterCount)
    .option('--data <dir>', 'data directory of the fleet (default: ~/.orrery/dev/NAME)', directoryName)
    .addHelpText(
      'after',
      `
The command runs \`npm run build\` in the directory of the add-on, now and after every change of a file. If it succeeds, the manifests are
applied again and the pods of the add-on are restarted. A controller or an agent that crashes, a request that the hub denies to an agent, and
other failures are shown with their cause when they appear, and when they are solved. Ctrl-C stops the fleet; the next start resumes it.

Examples:
  orrery addon dev
  orrery addon dev ./node-report --clusters 2`,
    )
    .action(run)
}

async function run(path: string, options: DevOptions): Promise<void> {
  const source = resolve(path)
  const addOn = await readAddOn(source)
  const { name } = addOn.bundle
  const builtAt = Date.now()
  if (!(await build(source)))
    throw new Error('the build failed: fix it, and start again; if packages are missing, run `npm install` first')
  const directory = fleetDirectory(options.data ?? fleetDirectory().beside('dev', name))
  await prepareAddOns(directory, [source])
  const progress = new Progress(process.stderr)
  const isNew = (await readPlan(directory)) === undefined
  const fleet = await startFleet({
    directory,
    clusters: options.clusters ?? (isNew ? 1 : undefined),
    addOns: await fleetAddOns([source]),
    command: (part) => partCommand(directory, part, false),
    onChange: (state) => progress.update(state),
  })
  const stopping = new AbortController()
  let stopWatching: () => void = () => undefined
  onStopSignal({
    stop() {
      stopping.abort()
      stopWatching()
      fleet.stop().catch(() => undefined)
    },
    force: () => fleet.kill(),
  })
  try {
    const unhealthy = await withTimeLimit(START_MS, stopping.signal, (limit) => fleet.whenSettled(limit))
    progress.leave()
    await withTarget(clusterTarget({ data: directory.root }, HUB), async (hub) => {
      const stopProblems = watchProblems(directory, hub, addOn)
      stopping.signal.addEventListener('abort', stopProblems, { once: true })
      await showAddOns(directory, [source], unhealthy, stopping.signal).catch((error: unknown) => reportFailure(error))
      if (!stopping.signal.aborted) {
        stopWatching = watchSources(source, builtAt, () => reload(directory, source, stopping.signal))
        printText(`\n${howToUse(directory, name)}`)
      }
      await fleet.ended
      stopProblems()
    })
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  }
  await fleet.ended
}

/** Prints problems of the add-on when they appear and when they are solved. Returns a function that stops it. */
function watchProblems(directory: FleetDirectory, hub: KubeClient, { bundle, manifests }: ReadAddOn): () => void {
  const stop = watchAddOnProblems(
    hub,
    { name: bundle.name, manifests },
    {
      appeared: (problem) => printProblems([problem], hub, directory),
      solved: async ({ cluster, addOn, about }) => void note(`${cluster}/${addOn}: solved: ${about}`),
    },
  )
  return () => void stop().catch(() => undefined)
}

function howToUse(directory: FleetDirectory, name: string): string {
  const data = shellWord(directory.root)
  return [
    'Save a file to restart the add-on. In another terminal:',
    '',
    `  export KUBECONFIG=${shellWord(directory.kubeconfig)}`,
    `  orrery addon status ${name} --data ${data}`,
    `  orrery addon reports ${name} --data ${data}`,
    '',
    'Stop it with Ctrl-C.',
    '',
  ].join('\n')
}

/** Builds the add-on. The output of the build is shown. */
function build(source: string): Promise<boolean> {
  note('building…')
  return new Promise((done, reject) => {
    const child = spawn('npm', ['run', '--silent', 'build'], { cwd: source, stdio: ['ignore', 2, 2] })
    child.once('error', reject)
    child.once('close', (code) => done(code === 0))
  })
}

/** Builds the add-on again, and runs what has changed. A failure is shown, and the old program keeps running. */
async function reload(directory: FleetDirectory, source: string, signal: AbortSignal): Promise<void> {
  try {
    if (!(await build(source))) {
      note('the build failed: the add-on keeps running as before')
      return
    }
    const read = await readAddOn(source)
    warnOfPlayed(read)
    await registerPrograms(directory, read.bundle.programs)
    await withTimeLimit(APPLY_MS, signal, (limit) => restart(directory, read, limit))
  } catch (error) {
    if (signal.aborted) return
    reportFailure(error)
    note('the add-on keeps running as before')
  }
}

async function restart(
  directory: FleetDirectory,
  { bundle, manifests }: ReadAddOn,
  signal: AbortSignal,
): Promise<void> {
  const parts = (await readPlan(directory))?.parts ?? []
  for (const { name } of parts) {
    await withTarget(clusterTarget({ data: directory.root }, name), async (client) => {
      if (name === HUB) await applyManifests(client, manifests, signal)
      for (const pod of await restartPrograms(client, bundle.programs, signal)) {
        note(`restarted ${pod} on ${name}`)
      }
    })
  }
}
