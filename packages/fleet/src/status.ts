import { CLUSTER_LEASE, ManagedCluster, ManagedClusterCondition, ManifestWork, WorkCondition } from '@orrery/api'
import { Lease, Node } from '@orrery/kinds'
import { findCondition, hasCondition } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { serverVersion } from '@orrery/kube/discovery'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { ISOLATION_CONDITION } from '@orrery/node/conditions'
import { type FleetDirectory, HUB } from './directory.js'
import { type FleetProblem, type HubView, problemsOfFleet } from './fleet-problems.js'
import { type MaestroStatus, maestroStatus } from './maestro/status.js'
import type { PartState } from './part-state.js'
import type { ClusterStatus, PartStatus, WorksSummary } from './part-status.js'
import { readPlan } from './plan.js'
import { readRun } from './run-record.js'

export interface FleetStatus {
  readonly directory: string
  /** Whether there are no problems. */
  readonly isHealthy: boolean
  readonly problems: readonly FleetProblem[]
  /** The PID of the supervisor. */
  readonly supervisor?: number
  readonly parts: readonly PartStatus[]
  /** The Maestro server, in the process of the hub. Absent if the fleet has none. */
  readonly maestro?: MaestroStatus
  readonly clusters: readonly ClusterStatus[]
}

/** How long to wait for an answer of a part. */
const TIMEOUT_MS = 5_000

/** Reads the state of every part of a fleet, and of the clusters on its hub. Undefined if there is no fleet. */
export async function statusOf(directory: FleetDirectory): Promise<FleetStatus | undefined> {
  const plan = await readPlan(directory)
  if (plan === undefined) return undefined
  const run = await readRun(directory)
  const [parts, view, maestro] = await Promise.all([
    Promise.all(
      plan.parts.map(({ name, port }) =>
        partStatus(
          directory,
          { name, port },
          run?.parts.find((part) => part.name === name),
        ),
      ),
    ),
    hubView(directory),
    plan.maestro && maestroStatus(directory, plan.maestro, AbortSignal.timeout(TIMEOUT_MS)),
  ])
  const clusters = view?.clusters ?? []
  const kept = run && new Set(run.parts.map(({ name }) => name))
  const problems = problemsOfFleet(directory, { parts, kept, view, maestro })
  return {
    directory: directory.root,
    isHealthy: problems.length === 0,
    problems,
    ...(run !== undefined && { supervisor: run.supervisor.pid }),
    parts,
    ...(maestro !== undefined && { maestro }),
    clusters,
  }
}

async function partStatus(
  directory: FleetDirectory,
  { name, port }: { readonly name: string; readonly port: number },
  state: PartState | undefined,
): Promise<PartStatus> {
  const answer = await asking(directory, name, async (client, signal) => {
    const [{ gitVersion }, { items }] = await Promise.all([
      serverVersion(client, { signal }),
      client.list(Node, { signal }),
    ])
    return { version: gitVersion, unisolated: unisolatedOf(items) }
  })
  const { version, unisolated } = answer ?? {}
  return {
    name,
    // A part that was started by hand answers, too.
    phase: state?.phase ?? (version === undefined ? 'stopped' : 'serving'),
    ...(state?.detail !== undefined && { detail: state.detail }),
    ...(state?.process !== undefined && { pid: state.process.pid }),
    restarts: state?.restarts ?? 0,
    url: state?.url ?? `https://127.0.0.1:${port}`,
    ...(version !== undefined && { version }),
    ...(unisolated !== undefined && { unisolated }),
  }
}

function unisolatedOf(nodes: readonly Node[]): string | undefined {
  const conditions = nodes.flatMap(({ status }) => status?.conditions ?? [])
  return conditions.find(({ type, status }) => type === ISOLATION_CONDITION && status === 'False')?.message
}

async function hubView(directory: FleetDirectory): Promise<HubView | undefined> {
  return asking(directory, HUB, async (hub, signal) => {
    const [clusters, leases, works] = await Promise.all([
      hub.list(ManagedCluster, { signal }),
      hub.list(Lease, { fieldSelector: `metadata.name=${CLUSTER_LEASE}`, signal }),
      hub.list(ManifestWork, { signal }),
    ])
    const renewals = new Map(leases.items.map(({ metadata, spec }) => [metadata.namespace, spec?.renewTime]))
    return {
      clusters: clusters.items.map((cluster) => {
        const { name } = cluster.metadata
        const own = works.items.filter(({ metadata }) => metadata.namespace === name)
        return clusterStatus(cluster, renewals.get(name), own)
      }),
      managed: clusters.items,
      works: works.items,
    }
  })
}

/** Queries a part; undefined if it does not answer. */
async function asking<T>(
  directory: FleetDirectory,
  context: string,
  ask: (client: KubeClient, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    const client = await clientFrom(kubeconfigSource({ path: directory.kubeconfig, context }), { retry: false })
    try {
      return await ask(client, AbortSignal.timeout(TIMEOUT_MS))
    } finally {
      client.close()
    }
  } catch {
    // A part that does not answer is not healthy, whatever the error.
    return undefined
  }
}

function clusterStatus(
  { metadata, status }: ManagedCluster,
  renewed: string | undefined,
  works: readonly ManifestWork[],
): ClusterStatus {
  const condition = (type: string) => findCondition(status?.conditions, type)?.status ?? 'Unknown'
  return {
    name: metadata.name,
    accepted: condition(ManagedClusterCondition.HubAccepted),
    joined: condition(ManagedClusterCondition.Joined),
    available: condition(ManagedClusterCondition.Available),
    ...(renewed !== undefined && { renewed }),
    ...(metadata.creationTimestamp !== undefined && { created: metadata.creationTimestamp }),
    works: summaryOf(works),
  }
}

function summaryOf(works: readonly ManifestWork[]): WorksSummary {
  const having = (type: string) => works.filter(({ status }) => hasCondition(status?.conditions, type, 'True')).length
  return { total: works.length, applied: having(WorkCondition.Applied), available: having(WorkCondition.Available) }
}
