import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type AddOnBundle,
  type AddOnState,
  applyManifests,
  BUNDLE_FILE,
  type FleetAddOns,
  type FleetDirectory,
  HUB,
  readBundle,
  readPlan,
  registerPrograms,
  whenAddOnsAvailable,
} from '@orrery/fleet'
import { withTimeLimit } from '@orrery/kube/process'
import { InvalidArgumentError } from 'commander'
import { PACKAGE_DIRECTORY } from '../package-directory.js'
import { readManifests } from './manifests.js'
import { formatTable, plainText } from './table.js'
import { clusterTarget, withTarget } from './target.js'

/** The add-ons that come with the command line, a directory each. */
const INCLUDED = join(PACKAGE_DIRECTORY, 'bundle/add-ons')

/** Kinds of manifests for the hub that run pods. */
const WITH_PODS = new Set(['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet', 'Job', 'CronJob', 'Pod'])

/** How long `up` waits for its add-ons after the clusters are available. */
const TIMEOUT_MS = 60_000

/** Collects the values of `--addon`: names of included add-ons, and absolute paths of directories. */
export function addOnName(value: string, before: readonly string[] = []): readonly string[] {
  if (existsSync(join(INCLUDED, value, BUNDLE_FILE))) return [...before, value]
  const directory = resolve(value)
  if (existsSync(join(directory, BUNDLE_FILE))) return [...before, directory]
  throw new InvalidArgumentError(`It is neither an included add-on nor a directory with ${BUNDLE_FILE}.`)
}

/**
 * Registers the programs of the add-ons of a fleet, before it starts: those that it has, whose files may have moved with an
 * upgrade, and new ones. Returns the new ones.
 */
export async function prepareAddOns(
  directory: FleetDirectory,
  added: readonly string[] = [],
): Promise<readonly AddOnBundle[]> {
  const known = (await readPlan(directory))?.addOns ?? []
  const names = [...new Set([...known, ...added])]
  const bundles = new Map<string, AddOnBundle>()
  for (const name of names) bundles.set(name, await readBundle(resolve(INCLUDED, name)))
  await registerPrograms(directory, Object.assign({}, ...Array.from(bundles.values(), ({ programs }) => programs)))
  return added.flatMap((name) => bundles.get(name) ?? [])
}

/** The add-ons for `startFleet`: with the namespaces of all manifests, for the controllers on the hub. */
export async function fleetAddOns(names: readonly string[] = []): Promise<FleetAddOns> {
  const namespaces = new Set<string>()
  for (const name of names) {
    const { manifests } = await readBundle(resolve(INCLUDED, name))
    for (const { kind, metadata } of await readManifests(manifests)) {
      if (WITH_PODS.has(kind)) namespaces.add(metadata.namespace ?? 'default')
    }
  }
  return { names, namespaces: [...namespaces] }
}

/** Installs add-ons on the hub of a fleet, and shows their state on every available cluster. */
export async function showAddOns(
  directory: FleetDirectory,
  bundles: readonly AddOnBundle[],
  unhealthy: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<void> {
  if (bundles.length === 0) return
  const without = new Set([HUB, ...unhealthy.map(({ name }) => name)])
  const clusters = ((await readPlan(directory))?.parts ?? []).map(({ name }) => name).filter((one) => !without.has(one))
  const states = await withTarget(clusterTarget({ data: directory.root }, HUB), (hub) =>
    withTimeLimit(TIMEOUT_MS, signal, async (limit) => {
      for (const { manifests } of bundles) await applyManifests(hub, await readManifests(manifests), limit)
      const names = bundles.map(({ name }) => name)
      return whenAddOnsAvailable(hub, names, clusters, limit)
    }),
  )
  process.stdout.write(`\n${tableOf(states)}`)
}

function tableOf(states: readonly AddOnState[]): string {
  return formatTable(states, [
    { title: 'cluster', value: ({ cluster }) => cluster },
    { title: 'add-on', value: ({ addOn }) => addOn },
    { title: 'available', value: ({ available = 'Unknown' }) => available },
    { title: 'message', value: ({ message }) => (message === undefined ? undefined : plainText(message)) },
  ])
}
