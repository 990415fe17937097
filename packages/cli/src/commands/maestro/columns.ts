import { type ManifestWork, WorkCondition } from '@orrery/api'
import { type ProblemOptions, problemsOf, problemText } from '@orrery/hub/operations'
import type { Consumer } from '@orrery/maestro'
import { ageOf } from '../../shared/age.js'
import type { Column } from '../../shared/table.js'
import { appliedOfAll, conditionStatus, feedbackText } from '../work-columns.js'

export const WORK_COLUMNS: readonly Column<ManifestWork>[] = [
  { title: 'consumer', value: ({ metadata }) => metadata.namespace },
  { title: 'work', value: ({ metadata }) => metadata.name },
  { title: 'applied', value: conditionStatus(WorkCondition.Applied) },
  { title: 'available', value: conditionStatus(WorkCondition.Available) },
  { title: 'manifests', value: appliedOfAll },
  { title: 'version', value: ({ metadata }) => metadata.resourceVersion },
  { title: 'deleting', value: ({ metadata }) => (metadata.deletionTimestamp === undefined ? 'False' : 'True') },
  { title: 'age', value: ({ metadata }) => ageOf(metadata.creationTimestamp) },
  { title: 'feedback', value: feedbackText, wide: true },
]

/** How problems of works are described: their clusters need not be clusters of a hub. */
export const WORK_PROBLEMS: ProblemOptions = {
  notAnswered: 'the agent of the cluster has not answered yet: check that it is connected to the Maestro server',
  notReported:
    'no agent has reported a status yet: check that the agent of the cluster is connected to the Maestro server',
}

/** Why a work is not applied, not available or not deleted. Empty if it has no problem. */
export function problemsText(work: ManifestWork): string {
  return problemsOf(work, WORK_PROBLEMS).map(problemText).join('; ')
}

export const CONSUMER_COLUMNS: readonly Column<Consumer>[] = [
  { title: 'consumer', value: ({ name }) => name },
  {
    title: 'labels',
    value: ({ labels }) =>
      Object.entries(labels)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
  },
  { title: 'age', value: ({ createdAt }) => ageOf(createdAt) },
  { title: 'id', value: ({ id }) => id, wide: true },
]
