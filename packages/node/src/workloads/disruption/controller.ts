import {
  Deployment,
  type NamespacedObject,
  type Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '@orrery/kinds'
import { type Finding, selectsLabels, setCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, requeueAt, writeStatus } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isFinished } from '../podstate.js'
import { budgetNumbers, expectedPodsOf, needsScale, REMOVAL_TIME } from './budget.js'
import { type Scale, scaleOf } from './scale.js'

const COMPONENT = 'controllermanager'

/** The disruption controller: computes how many pods of each PodDisruptionBudget may be evicted now. */
export function disruptionController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods, informers } = context
  const budgets = informers.of(PodDisruptionBudget)
  const recorder = context.recorder(COMPONENT)

  const covers = ({ spec }: PodDisruptionBudget, pod: Pod) => selectsLabels(spec?.selector, pod.metadata.labels)
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
      const scale = needsScale(budget) ? scaleOf(covered, informers) : undefined
      recordProblem(budget, scale)
      const expected = scale?.unknown === undefined ? expectedPodsOf(budget, covered, scale?.size ?? 0) : undefined
      const now = clock.now()
      const statusOf = ({ status }: PodDisruptionBudget): PodDisruptionBudgetStatus => {
        const numbers = expected && budgetNumbers(status, covered, expected, now)
        const condition = conditionOf(numbers?.disruptionsAllowed, generation)
        return {
          ...status,
          ...(numbers ?? { disruptionsAllowed: 0 }),
          ...(generation !== undefined && { observedGeneration: generation }),
          conditions: setCondition(status?.conditions, condition, now),
        }
      }
      const { status } = await writeStatus(client, PodDisruptionBudget, budget, statusOf, { signal })
      const since = Object.values(status?.disruptedPods ?? {}).map((text) => Date.parse(text))
      return since.length === 0 ? undefined : requeueAt(new Date(Math.min(...since) + REMOVAL_TIME))
    },
  }

  function recordProblem(budget: PodDisruptionBudget, scale: Scale | undefined): void {
    const warn = (reason: string, note: string) => recorder.record({ regarding: budget, type: 'Warning', reason, note })
    if (scale?.unknown !== undefined) {
      const note = `Failed to calculate the number of expected pods: found no controllers for pod "${scale.unknown}"`
      warn('CalculateExpectedPodCountFailed', note)
    } else if (scale?.isPartial === true) {
      const selector = JSON.stringify(budget.spec?.selector ?? {})
      const found = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged.`
      const means =
        'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior.'
      const advice = 'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
      warn('UnmanagedPods', `${found} ${means} ${advice}`)
    }
  }
}
