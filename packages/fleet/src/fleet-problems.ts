import { type ClusterPhase, clusterStateOf, type ManagedCluster, type ManifestWork } from '@orrery/api'
import { clusterProblem, problemsOf, problemText } from '@orrery/hub/operations'
import { type FleetDirectory, HUB } from './directory.js'
import type { MaestroStatus } from './maestro/status.js'
import { isHealthy, type PartState, problemOf } from './part-state.js'
import type { ClusterStatus, PartStatus } from './part-status.js'

/** A problem of a fleet. */
export interface FleetProblem {
  /** `hub`, `maestro`, `cluster1` or `work cluster1/web`. */
  readonly object: string
  /** The reason and the fix. */
  readonly message: string
}

/** The clusters and works of the hub. */
export interface HubView {
  readonly clusters: readonly ClusterStatus[]
  readonly managed: readonly ManagedCluster[]
  readonly works: readonly ManifestWork[]
}

interface Findings {
  readonly parts: readonly PartStatus[]
  /** The parts that the supervisor runs; undefined if there is no supervisor. */
  readonly kept: ReadonlySet<string> | undefined
  /** Undefined when the hub does not answer. */
  readonly view: HubView | undefined
  /** Undefined if the fleet has no Maestro server. */
  readonly maestro?: MaestroStatus | undefined
}

/** Phases of clusters that an administrator has not accepted or has denied. */
const DECISIONS: ReadonlySet<ClusterPhase> = new Set(['pending', 'denied'])

/** All problems of a fleet: parts first, then clusters that are not parts of it, then works. */
export function problemsOfFleet(directory: FleetDirectory, { parts, kept, view, maestro }: Findings): FleetProblem[] {
  const unaccepted = new Map(
    (view?.managed ?? [])
      .filter((cluster) => !clusterStateOf(cluster).isAccepted)
      .map((cluster) => [cluster.metadata.name, clusterProblem(cluster)]),
  )
  const ofParts = parts
    .flatMap((part) => partProblem(directory, part, kept))
    // The hub reports how to accept a cluster; its agent cannot know.
    .map(({ object, message }) => ({ object, message: unaccepted.get(object) ?? message }))
  const named = new Set(ofParts.map(({ object }) => object))
  const ofClusters = (view?.managed ?? []).flatMap((cluster) => {
    const { name } = cluster.metadata
    // An administrator decides whether to accept a cluster: until then it is no problem.
    if (named.has(name) || DECISIONS.has(clusterStateOf(cluster).phase)) return []
    const message = clusterProblem(cluster)
    return message === undefined ? [] : [{ object: name, message }]
  })
  return [
    ...ofParts,
    ...(named.has(HUB) ? [] : maestroProblem(directory, maestro)),
    ...ofClusters,
    ...(view?.works ?? []).flatMap(workProblems),
  ]
}

function partProblem(
  directory: FleetDirectory,
  part: PartStatus,
  kept: ReadonlySet<string> | undefined,
): FleetProblem[] {
  const { name, version, url } = part
  const says = (message: string) => [{ object: name, message }]
  const log = directory.log(name)
  if (kept?.has(name) !== true) {
    // A part that was started by hand has no supervisor: it is healthy if it answers.
    if (version !== undefined) return []
    const restart = kept === undefined ? '' : `restart the fleet with ${directory.command('down')} and `
    return says(`stopped: ${restart === '' ? 'start the fleet with ' : restart}${directory.command('up')}`)
  }
  if (!isHealthy(part as PartState)) {
    const problem = problemOf(part as PartState)
    return says(part.phase === 'stopped' ? `${problem}: see ${log}` : problem)
  }
  return version === undefined ? says(`its API server does not answer at ${url}: see ${log}`) : []
}

/** It runs in the process of the hub: if that has a problem, this is no other one. */
function maestroProblem(directory: FleetDirectory, maestro: MaestroStatus | undefined): FleetProblem[] {
  if (maestro === undefined || maestro.isReady) return []
  const message = `the Maestro server does not answer at ${maestro.rest}: see ${directory.log(HUB)}`
  return [{ object: 'maestro', message }]
}

function workProblems(work: ManifestWork): FleetProblem[] {
  const { namespace, name } = work.metadata
  return problemsOf(work).map((problem) => ({ object: `work ${namespace}/${name}`, message: problemText(problem) }))
}
