import { type ManifestWork, WorkCondition } from '@orrery/api'
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
