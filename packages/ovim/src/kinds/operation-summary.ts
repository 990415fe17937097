import { type Read, t } from '@orrery/api/schema'
import { OPERATION_TYPES } from '../wire/operation-types.js'

export const OPERATION_PHASES = ['Pending', 'Leased', 'Running', 'Completed', 'Failed', 'Expired'] as const

export type OperationPhase = (typeof OPERATION_PHASES)[number]

/** The last operation of an object, in the status of that object. */
export const operationSummary = t.object(
  {
    name: t.string({ description: 'Name is the name of the Operation.' }),
    namespace: t.string({ description: 'Namespace is the namespace of the Operation.' }),
    sequence: t.integer({ description: 'Sequence numbers the operations of the object.', format: 'int64' }),
    type: t.enum(OPERATION_TYPES, { description: 'Type is the type of the operation.' }),
    phase: t.enum(OPERATION_PHASES, { description: 'Phase is the phase of the operation.' }),
    reportedAt: t.optional(
      t.time({ description: 'ReportedAt is when the agent finished the operation, by the clock of the agent.' }),
    ),
    failures: t.optional(
      t.integer({ description: 'Failures counts the operations in a row that failed.', format: 'int32' }),
    ),
    retryAt: t.optional(t.time({ description: 'RetryAt is when a failed operation is repeated.' })),
  },
  { description: 'Operation is the last operation.' },
)

export interface OperationSummary extends Read<typeof operationSummary> {}
