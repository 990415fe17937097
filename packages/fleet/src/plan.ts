import { isDNS1123Label, isObject } from '@orrery/kinds/values'
import { type FleetDirectory, HUB } from './directory.js'
import { type HubServing, parseServing } from './hub-serving.js'
import { freePorts } from './ports.js'
import { readIfThere, writePrivately } from './privatefile.js'

/** The parts of a fleet. Ports do not change. */
export interface FleetPlan {
  /** The port of each part, the hub first. */
  readonly parts: readonly PartPlan[]
  /** The add-ons: names of those that come with the command line, and directories of others. Default none. */
  readonly addOns?: readonly string[]
  /** The namespaces of their controllers on the hub: only pods in these run programs there. Default none. */
  readonly addOnNamespaces?: readonly string[]
  /** The ports of the Maestro server. Default: the fleet has none. */
  readonly maestro?: MaestroPlan
  /** Whether the clusters run KubeVirt. Default false. */
  readonly kubevirt?: boolean
  /** The port of the OVIM service. Default: the fleet has none. */
  readonly ovim?: OvimPlan
}

/** What to add to a fleet. It stays at later starts. */
export interface FleetParts {
  /** A Maestro server. Default false. */
  readonly maestro?: boolean
  /** KubeVirt on every cluster. Default false. */
  readonly kubevirt?: boolean
  /** The OVIM service, and KubeVirt and its agent on every cluster. Default false. */
  readonly ovim?: boolean
}

/** The ports of a fleet's Maestro server. They do not change. */
export interface MaestroPlan {
  /** The REST API. */
  readonly rest: number
  /** gRPC for sources. */
  readonly sources: number
  /** gRPC for agents. */
  readonly agents: number
}

/** The port of a fleet's OVIM service. It does not change. */
export interface OvimPlan {
  readonly port: number
}

/** Add-ons to add to a fleet. */
export interface FleetAddOns {
  /** As in `FleetPlan.addOns`. */
  readonly names: readonly string[]
  /** The namespaces of their controllers on the hub. */
  readonly namespaces: readonly string[]
}

export interface PartPlan {
  readonly name: string
  readonly port: number
  /** Only for the hub. */
  readonly serving?: HubServing
}

/** The settings of the hub for this start, stored for later ones. */
export interface HubSettings extends HubServing {
  /** 0 is any free port, for this start only. */
  readonly port?: number
}

/** The number of clusters in a new fleet. */
export const DEFAULT_CLUSTERS = 2

/** The plan of the fleet in a directory; undefined if there is none. */
export async function readPlan(directory: FleetDirectory): Promise<FleetPlan | undefined> {
  const text = await readIfThere(directory.plan)
  return text === undefined ? undefined : parsePlan(text, directory.plan)
}

/** Creates or extends the plan of a fleet: without a number of clusters it stays as it is. */
export async function ensurePlan(
  directory: FleetDirectory,
  clusters?: number,
  hub: HubSettings = {},
  addOns?: FleetAddOns,
  { maestro = false, kubevirt = false, ovim = false }: FleetParts = {},
): Promise<FleetPlan> {
  await ensureClusters(directory, clusters)
  await ensureHub(directory, hub)
  if (addOns !== undefined) await ensureAddOns(directory, addOns)
  if (maestro) await ensureMaestro(directory)
  if (kubevirt || ovim) await ensureKubevirt(directory)
  if (ovim) await ensureOvim(directory)
  return (await readPlan(directory)) as FleetPlan
}

/** The hub of a fleet, added to the plan if it is new. New settings are stored, the others stay. */
export async function ensureHub(directory: FleetDirectory, { port, ...settings }: HubSettings = {}): Promise<PartPlan> {
  const before = await ensurePart(directory, HUB)
  const wanted = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const serving: HubServing = { ...before.serving, ...wanted }
  const hub = {
    name: HUB,
    port: port === undefined || port === 0 ? before.port : port,
    ...(Object.keys(serving).length > 0 && { serving }),
  }
  if (JSON.stringify(hub) === JSON.stringify(before)) return before
  const plan = (await readPlan(directory)) ?? { parts: [] }
  await writePlan(directory, { ...plan, parts: plan.parts.map((part) => (part.name === HUB ? hub : part)) })
  return hub
}

async function ensureAddOns(directory: FleetDirectory, { names, namespaces }: FleetAddOns): Promise<void> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  const addOns = [...new Set([...(plan.addOns ?? []), ...names])]
  const addOnNamespaces = [...new Set([...(plan.addOnNamespaces ?? []), ...namespaces])]
  const next = { ...plan, ...(addOns.length > 0 && { addOns, addOnNamespaces }) }
  if (JSON.stringify(next) !== JSON.stringify(plan)) await writePlan(directory, next)
}

async function ensureMaestro(directory: FleetDirectory): Promise<void> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  if (plan.maestro !== undefined) return
  const [rest = 0, sources = 0, agents = 0] = await freePorts(3, portsOf(plan))
  await writePlan(directory, { ...plan, maestro: { rest, sources, agents } })
}

async function ensureKubevirt(directory: FleetDirectory): Promise<void> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  if (plan.kubevirt !== true) await writePlan(directory, { ...plan, kubevirt: true })
}

async function ensureOvim(directory: FleetDirectory): Promise<void> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  if (plan.ovim !== undefined) return
  const [port = 0] = await freePorts(1, portsOf(plan))
  await writePlan(directory, { ...plan, ovim: { port } })
}

async function ensureClusters(directory: FleetDirectory, clusters: number | undefined): Promise<void> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  const { parts: known } = plan
  const joined = known.filter(({ name }) => name !== HUB)
  const wanted = clusters ?? (known.length === 0 ? DEFAULT_CLUSTERS : joined.length)
  if (wanted < joined.length) {
    throw new Error(
      `the fleet in ${directory.root} has ${joined.length} clusters and cannot have fewer: ` +
        `use --clusters ${joined.length} or leave it out, or choose another directory with --data`,
    )
  }
  const names = new Set(known.map(({ name }) => name))
  const added = known.some(({ name }) => name === HUB) ? [] : [HUB]
  for (let number = 1; joined.length + added.filter((name) => name !== HUB).length < wanted; number++) {
    if (!names.has(`cluster${number}`)) added.push(`cluster${number}`)
  }
  if (added.length > 0) await addParts(directory, plan, added)
}

/** A part of a fleet by name, added to the plan if it is new. */
export async function ensurePart(directory: FleetDirectory, name: string): Promise<PartPlan> {
  const plan = (await readPlan(directory)) ?? { parts: [] }
  const found = plan.parts.find((part) => part.name === name)
  if (found !== undefined) return found
  const [problem] = isDNS1123Label(name)
  if (problem !== undefined) throw new Error(`${JSON.stringify(name)} is not a valid cluster name: ${problem}`)
  return (await addParts(directory, plan, [name])).parts.find((part) => part.name === name)!
}

/** Gives a part another port, because its own is in use. */
export async function movePart(directory: FleetDirectory, plan: FleetPlan, name: string): Promise<FleetPlan> {
  const [port = 0] = await freePorts(1, portsOf(plan))
  return writePlan(directory, {
    ...plan,
    parts: plan.parts.map((part) => (part.name === name ? { ...part, port } : part)),
  })
}

async function addParts(directory: FleetDirectory, plan: FleetPlan, names: readonly string[]): Promise<FleetPlan> {
  const { parts: known } = plan
  const ports = await freePorts(names.length, portsOf(plan))
  const added = names.map((name, at) => ({ name, port: ports[at] ?? 0 }))
  const isHub = ({ name }: PartPlan) => name === HUB
  const all = [...known, ...added]
  return writePlan(directory, { ...plan, parts: [...all.filter(isHub), ...all.filter((part) => !isHub(part))] })
}

function portsOf({ parts, maestro, ovim }: FleetPlan): readonly number[] {
  return [maestro ?? {}, ovim ?? {}, ...parts.map(({ port }) => ({ port }))].flatMap((ports) => Object.values(ports))
}

async function writePlan(directory: FleetDirectory, plan: FleetPlan): Promise<FleetPlan> {
  await writePrivately(directory.plan, `${JSON.stringify(plan, undefined, 2)}\n`)
  return plan
}

function parsePlan(text: string, file: string): FleetPlan {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const fields: Record<string, unknown> = isObject(value) ? value : {}
  const { parts, addOns = [], addOnNamespaces = [], maestro, kubevirt = false, ovim } = fields
  const isMaestro = maestro === undefined || isMaestroPlan(maestro)
  const isOvim = ovim === undefined || isOvimPlan(ovim)
  const hasParts = Array.isArray(parts) && parts.every(isPart)
  const hasAddOns = isTexts(addOns) && isTexts(addOnNamespaces)
  if (hasParts && hasAddOns && isMaestro && isOvim && typeof kubevirt === 'boolean') {
    return {
      parts,
      ...(addOns.length > 0 && { addOns, addOnNamespaces }),
      ...(maestro !== undefined && { maestro }),
      ...(kubevirt && { kubevirt }),
      ...(ovim !== undefined && { ovim }),
    }
  }
  throw new Error(`${file} is damaged: restore it, or choose another directory with --data`)
}

function isPart(value: unknown): value is PartPlan {
  if (!isObject(value)) return false
  const { name, port, serving } = value
  if (serving !== undefined && parseServing(serving) === undefined) return false
  return typeof name === 'string' && isDNS1123Label(name).length === 0 && Number.isInteger(port)
}

function isMaestroPlan(value: unknown): value is MaestroPlan {
  return isObject(value) && [value.rest, value.sources, value.agents].every(Number.isInteger)
}

function isOvimPlan(value: unknown): value is OvimPlan {
  return isObject(value) && Number.isInteger(value.port)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
