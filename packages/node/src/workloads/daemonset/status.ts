import type { DaemonSetStatus, Pod } from '@orrery/kinds'
import { isActive, isAvailable, isReady } from '../podstate.js'
import type { History } from '../revisions.js'
import { podsByNode, type Situation } from './plan.js'
import { HASH_LABEL, shouldRunOn } from './pod.js'

/** Computes the status from the pods. */
export function daemonSetStatus(
  before: DaemonSetStatus | undefined,
  { set, nodes, pods, hash, now }: Situation,
  { collisions }: History,
): DaemonSetStatus {
  const there = podsByNode(pods)
  const wanted = nodes.filter((node) => shouldRunOn(node, set).shouldRun)
  const unwanted = nodes.filter((node) => !wanted.includes(node))
  const chosen = wanted.flatMap(({ metadata }) => foremost(there.get(metadata.name) ?? []) ?? [])
  const ready = chosen.filter(isReady)
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now))
  const { generation } = set.metadata
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: chosen.length,
    numberMisscheduled: unwanted.filter(({ metadata }) => there.has(metadata.name)).length,
    numberReady: ready.length,
    updatedNumberScheduled: chosen.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash).length,
    numberAvailable: available.length,
    numberUnavailable: wanted.length - available.length,
    ...(collisions > 0 && { collisionCount: collisions }),
    ...(before?.conditions !== undefined && { conditions: before.conditions }),
  }
}

/** Returns the pod that counts for its node: the oldest running one. */
function foremost(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted(
    (a, b) =>
      Number(isActive(b)) - Number(isActive(a)) ||
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp),
  )[0]
}
