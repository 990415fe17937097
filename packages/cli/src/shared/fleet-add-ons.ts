import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ClusterManagementAddOn } from '@orrery/api'
import {
  type AddOnBundle,
  type AddOnState,
  applyManifests,
  BUNDLE_FILE,
  type FleetAddOns,
  type FleetDirectory,
  HUB,
  hasProgram,
  readBundle,
  readPlan,
  registerPrograms,
  whenAddOnsAvailable,
} from '@orrery/fleet'
import type { KubeObject } from '@orrery/kinds'
import { withTimeLimit } from '@orrery/kube/process'
import { InvalidArgumentError } from 'commander'
import { PACKAGE_DIRECTORY } from '../package-directory.js'
import { readManifests } from './manifests.js'
import { note, printText } from './print.js'
import { formatTable } from './table.js'
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
 * upgrade, and new ones.
 */
export async function prepareAddOns(directory: FleetDirectory, added: readonly string[] = []): Promise<void> {
  const known = (await readPlan(directory))?.addOns ?? []
  const bundles = await Promise.all(
    [...new Set([...known, ...added])].map((name) => readBundle(resolve(INCLUDED, name))),
  )
  await registerPrograms(directory, Object.assign({}, ...bundles.map(({ programs }) => programs)))
}

/** An add-on and its manifests for the hub. */
export interface ReadAddOn {
  readonly bundle: AddOnBundle
  readonly manifests: readonly KubeObject[]
}

/** Reads an included add-on or one in a directory. Throws if its files do not agree about its name. */
export async function readAddOn(name: string): Promise<ReadAddOn> {
  const directory = resolve(INCLUDED, name)
  const bundle = await readBundle(directory)
  const manifests = await readManifests(bundle.manifests)
  const defined = manifests
    .filter(({ kind }) => kind === ClusterManagementAddOn.kind)
    .map(({ metadata }) => metadata.name)
  if (!defined.includes(bundle.name)) {
    const found =
      defined.length === 0 ? 'no ClusterManagementAddOn' : `the ClusterManagementAddOn ${defined.join(', ')}`
    throw new Error(
      `${join(directory, BUNDLE_FILE)}: name is ${bundle.name}, but the manifests have ${found}: use one name`,
    )
  }
  return { bundle, manifests }
}

/** The add-ons for `startFleet`: with the namespaces of all manifests, for the controllers on the hub. */
export async function fleetAddOns(names: readonly string[] = []): Promise<FleetAddOns> {
  const namespaces = new Set<string>()
  for (const name of names) {
    const { manifests } = await readAddOn(name)
    for (const { kind, metadata } of manifests) {
      if (WITH_PODS.has(kind)) namespaces.add(metadata.namespace ?? 'default')
    }
  }
  return { names, namespaces: [...namespaces] }
}

/** Images of controllers that no program runs as: their pods look as if they ran. */
export function warnOfPlayed({ bundle, manifests }: ReadAddOn): void {
  for (const manifest of manifests) {
    for (const image of imagesIn(manifest).filter((one) => !hasProgram(bundle, one))) {
      note(
        `${manifest.kind} ${manifest.metadata.name}: image ${image} is not in the programs of ${BUNDLE_FILE}: ` +
          'its pods are played, and nothing runs',
      )
    }
  }
}

function imagesIn({ kind, ...manifest }: KubeObject): string[] {
  if (!WITH_PODS.has(kind)) return []
  const { spec } = manifest as { spec?: PodSpecHolder }
  const pod = spec?.jobTemplate?.spec?.template?.spec ?? spec?.template?.spec ?? spec
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].flatMap(({ image }) => image ?? [])
}

interface PodSpecHolder {
  readonly template?: { readonly spec?: PodSpecHolder }
  readonly jobTemplate?: { readonly spec?: PodSpecHolder }
  readonly initContainers?: readonly { readonly image?: string }[]
  readonly containers?: readonly { readonly image?: string }[]
}

/** Installs add-ons on the hub of a fleet, and shows their state on every available cluster. */
export async function showAddOns(
  directory: FleetDirectory,
  addOns: readonly string[],
  unhealthy: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<void> {
  if (addOns.length === 0) return
  const read = await Promise.all(addOns.map(readAddOn))
  for (const one of read) warnOfPlayed(one)
  const without = new Set([HUB, ...unhealthy.map(({ name }) => name)])
  const clusters = ((await readPlan(directory))?.parts ?? []).map(({ name }) => name).filter((one) => !without.has(one))
  const states = await withTarget(clusterTarget({ data: directory.root }, HUB), (hub) =>
    withTimeLimit(TIMEOUT_MS, signal, async (limit) => {
      for (const { manifests } of read) await applyManifests(hub, manifests, limit)
      const names = read.map(({ bundle }) => bundle.name)
      return whenAddOnsAvailable(hub, names, clusters, limit)
    }),
  )
  printText(`\n${tableOf(states)}`)
  const unavailable = new Set(states.flatMap(({ addOn, available }) => (available === 'True' ? [] : addOn)))
  for (const name of unavailable) {
    note(`${name} is not available on all clusters: run ${directory.command(`addon status ${name}`)}`)
  }
}

function tableOf(states: readonly AddOnState[]): string {
  return formatTable(states, [
    { title: 'cluster', value: ({ cluster }) => cluster },
    { title: 'add-on', value: ({ addOn }) => addOn },
    { title: 'available', value: ({ available = 'Unknown' }) => available },
    { title: 'message', value: ({ message }) => message },
  ])
}
