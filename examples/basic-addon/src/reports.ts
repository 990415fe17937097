import {
  type AddonAgent,
  normalizedScore,
  reportClaim,
  reportCondition,
  reportConfigMap,
  reportScore,
} from '@orrery/addon/agent'
import { ClusterRoleBinding } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { AGENT, REPORTS } from './names.js'
import type { Observation, ReportedPod } from './observe.js'

export interface ReportSettings {
  /** The seconds between two reports. */
  readonly intervalSeconds: number
  /** More pods than this are not healthy. */
  readonly podLimit: number
}

/** Reports what was observed, each in its own way. A report that fails does not prevent the others. */
export async function reportAll(agent: AddonAgent, seen: Observation, settings: ReportSettings): Promise<void> {
  const reports = [reportPods, reportHealth, reportScores, reportVersion]
  const results = await Promise.allSettled(reports.map((report) => report(agent, seen, settings)))
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (problems.length > 0) throw new AggregateError(problems, problems.map(({ message }) => message).join('; '))
}

/** The list of pods has this many bytes at most. A ConfigMap has 1 MiB. */
const MAX_LIST_BYTES = 900_000

/** First strategy, for detailed data: a ConfigMap. */
async function reportPods(agent: AddonAgent, { pods }: Observation): Promise<void> {
  const listed = firstPods(pods, MAX_LIST_BYTES)
  const omitted = pods.length - listed.length
  await reportConfigMap(agent, {
    name: REPORTS.configMap,
    data: (timestamp) => ({
      report: {
        clusterName: agent.clusterName,
        timestamp,
        totalPods: pods.length,
        pods: listed,
        ...(omitted > 0 && { omittedPods: omitted }),
      },
    }),
  })
}

/** The first pods by namespace and name whose JSON fits into a number of bytes. */
export function firstPods(pods: readonly ReportedPod[], maxBytes: number): ReportedPod[] {
  const sorted = pods.toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name))
  let bytes = 0
  const end = sorted.findIndex((pod) => {
    bytes += Buffer.byteLength(JSON.stringify(pod)) + 1
    return bytes > maxBytes
  })
  return end < 0 ? sorted : sorted.slice(0, end)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Second strategy, for a state: a condition. */
async function reportHealth(agent: AddonAgent, { pods }: Observation, { podLimit }: ReportSettings): Promise<void> {
  const count = `Cluster has ${pods.length} pods`
  await reportCondition(
    agent,
    pods.length > podLimit
      ? {
          type: REPORTS.condition,
          status: 'False',
          reason: 'PodCountExceedsLimit',
          message: `${count} (exceeds ${podLimit} limit)`,
        }
      : { type: REPORTS.condition, status: 'True', reason: 'PodCountWithinLimit', message: `${count} (healthy)` },
  )
}

/** With this many, a cluster has the lowest score. */
const MOST = { namespaces: 50, pods: 200 }
/** A score survives two reports that are missed. */
const PERIODS_OF_VALIDITY = 3

/** Third strategy, for Placements: scores. Fewer namespaces and pods are better. */
async function reportScores(agent: AddonAgent, seen: Observation, { intervalSeconds }: ReportSettings): Promise<void> {
  await reportScore(agent, {
    name: REPORTS.score,
    scores: {
      namespaceCount: -normalizedScore(seen.namespaceCount, { min: 0, max: MOST.namespaces }),
      podCount: -normalizedScore(seen.pods.length, { min: 0, max: MOST.pods }),
    },
    validitySeconds: Math.max(1, PERIODS_OF_VALIDITY * intervalSeconds),
  })
}

/** Fourth strategy, for what rarely changes: a claim. It is deleted with the ClusterRoleBinding of the agent. */
async function reportVersion(agent: AddonAgent, { version }: Observation): Promise<void> {
  const binding = await agent.managed.find(ClusterRoleBinding, { name: AGENT }, { signal: agent.signal })
  await reportClaim(agent, {
    name: REPORTS.claim,
    value: version,
    ...(binding !== undefined && { owner: ownerReferenceTo(binding, ClusterRoleBinding) }),
  })
}
