import {
  type ControllerSpec,
  each,
  type Finding,
  labelSelectorFrom,
  type NamespacedObject,
  requeueAt,
  setCondition,
  writeStatus,
} from '@orrery/kube'
import {
  Deployment,
  type Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '@orrery/kube/kinds'
import type { WorkloadContext } from '../context.js'
import { isFinished } from '../podstate.js'
import { budgetNumbers, demandOf, REMOVAL_TIME } from './budget.js'
import { scaleOf } from './scale.js'

const COMPONENT = 'controllermanager'

/** Says of each disruption budget how many of its pods may be taken away now. */
export function disruptionController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods, informers } = context
  const budgets = informers.of(PodDisruptionBudget)
  const recorder = context.recorder(COMPONENT)

  const covers = ({ spec }: PodDisruptionBudget, pod: Pod) =>
    labelSelectorFrom(spec?.selector).matches(pod.metadata.labels)
  const inNamespace = ({ metadata }: NamespacedObject) => budgets.list(metadata.namespace).map((one) => one.metadata)
  const covering = (pod: Pod) =>
    budgets
      .list(pod.metadata.namespace)
      .filter((budget) => covers(budget, pod))
      .map(({ metadata }) => metadata)

  const conditionOf = (allowed: number | undefined, generation: number | undefined): Finding => {
    const [status, reason] =
      allowed === undefined
        ? (['False', 'SyncFailed'] as const)
        : allowed > 0
          ? (['True', 'SufficientPods'] as const)
          : (['False', 'InsufficientPods'] as const)
    return { type: 'DisruptionAllowed', status, reason, observedGeneration: generation }
  }

  return {
    name: 'disruption',
    wakes: [
      each(budgets),
      each(pods, covering),
      ...[Deployment, ReplicaSet, StatefulSet, ReplicationController].map((kind) =>
        each<NamespacedObject>(informers.of<NamespacedObject>(kind), inNamespace, {
          when: ({ before, after }) => before?.metadata.generation !== after?.metadata.generation,
        }),
      ),
    ],
    concurrency: 2,
    async reconcile(ref, { signal }) {
      const budget = budgets.get(ref)
      if (budget === undefined) return undefined
      const { generation, namespace } = budget.metadata
      const covered = pods.list(namespace).filter((pod) => covers(budget, pod) && !isFinished(pod))
      if (covered.length === 0) {
        recorder.record({ regarding: budget, reason: 'NoPods', note: 'No matching pods found' })
      }
      const demand = demandOf(budget, covered, () => scaleOf(covered, informers))
      const now = clock.now()
      const statusOf = ({ status }: PodDisruptionBudget): PodDisruptionBudgetStatus => {
        const numbers = demand && budgetNumbers(status, covered, demand, now)
        const condition = conditionOf(numbers?.disruptionsAllowed, generation)
        return {
          ...status,
          ...(numbers ?? { disruptionsAllowed: 0 }),
          ...(generation !== undefined && { observedGeneration: generation }),
          conditions: setCondition(status?.conditions, condition, now),
        }
      }
      const { status } = await writeStatus(client, PodDisruptionBudget, budget, statusOf, { signal })
      if (demand === undefined) tellUnmanaged(budget)
      const since = Object.values(status?.disruptedPods ?? {}).map((text) => Date.parse(text))
      return since.length === 0 ? undefined : requeueAt(new Date(Math.min(...since) + REMOVAL_TIME))
    },
  }

  function tellUnmanaged(budget: PodDisruptionBudget): void {
    const note = 'Failed to calculate the number of expected pods: found no controllers for some of the pods'
    recorder.record({ regarding: budget, type: 'Warning', reason: 'CalculateExpectedPodCountFailed', note })
  }
}
