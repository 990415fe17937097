import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { OPERATION_TYPES } from '../wire/operation-types.js'
import { objectName } from './fields.js'
import { OVIM_GROUP, OVIM_VERSION } from './names.js'
import { OPERATION_PHASES } from './operation-summary.js'

const target = t.object(
  {
    kind: t.enum(['VirtualMachineRequest', 'VirtualDataCenter', 'Zone'], {
      description: 'Kind is the kind of the object.',
    }),
    namespace: t.optional(t.string({ description: 'Namespace is the namespace of the object. Empty for a Zone.' })),
    name: t.string({ description: 'Name is the name of the object.', minLength: 1 }),
    uid: t.optional(t.string({ description: 'UID is the uid of the object.' })),
  },
  {
    description: 'Target is the object of the hub that the operation is for. Operations of one target run one by one.',
  },
)

const spec = t.object(
  {
    type: t.enum(OPERATION_TYPES, { description: 'Type is the type of the operation.' }),
    zone: objectName('Zone is the name of the Zone whose agent executes the operation.'),
    target,
    payload: t.raw({ description: 'Payload is what the agent needs to execute the operation.' }),
    timeoutSeconds: t.optional(
      t.integer({
        description:
          'TimeoutSeconds is how long the agent may take to execute the operation. If unset, the agent decides, and the ' +
          'operation is delivered again after 60 seconds without a result.',
        format: 'int32',
        minimum: 1,
        maximum: 86_400,
      }),
    ),
    deadlineSeconds: t.defaulted(
      t.integer({
        description:
          'DeadlineSeconds is how long after its creation the operation can be delivered. Then it expires. Defaults to a day.',
        format: 'int32',
        minimum: 1,
        maximum: 2_592_000,
      }),
      86_400,
    ),
    requestedBy: t.optional(
      t.string({ description: 'RequestedBy is the user who asked for the operation.', maxLength: 1024 }),
    ),
  },
  {
    description: 'Spec describes the operation. It is immutable.',
    rules: [{ rule: 'self == oldSelf', message: 'spec is immutable: create another operation' }],
  },
)

const status = t.object(
  {
    phase: t.optional(
      t.enum(OPERATION_PHASES, {
        description:
          'Phase is Pending until an agent has received the operation, Leased until it answers, Running while it reports ' +
          'progress, and then Completed or Failed. Expired means that no agent has executed it before the deadline.',
      }),
    ),
    leasedUntil: t.optional(
      t.time({ description: 'LeasedUntil is when the operation is delivered again if there is no result.' }),
    ),
    agentId: t.optional(t.string({ description: 'AgentID is the agent that received the operation last.' })),
    attempts: t.optional(t.integer({ description: 'Attempts counts the deliveries.', format: 'int32', minimum: 0 })),
    result: t.optional(t.raw({ description: 'Result is the result of the agent.' })),
    error: t.optional(t.string({ description: 'Error describes why the operation failed.' })),
    startedAt: t.optional(t.time({ description: 'StartedAt is when the operation was first delivered.' })),
    completedAt: t.optional(t.time({ description: 'CompletedAt is when the hub got the result.' })),
    reportedAt: t.optional(
      t.time({ description: 'ReportedAt is when the agent finished, by the clock of the agent.' }),
    ),
    durationMilliseconds: t.optional(
      t.integer({ description: 'DurationMilliseconds is how long the execution took.', format: 'int64', minimum: 0 }),
    ),
    conditions: t.optional(
      t.conditions({ description: 'Conditions describe the operation. Complete is True if it succeeded.' }),
    ),
  },
  { description: 'Status is the progress of the operation.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'Operation',
  plural: 'operations',
  scope: 'Namespaced',
  shortNames: ['op'],
  categories: ['ovim'],
  description:
    'Operation is one task for the agent of a zone. The hub creates operations; they are removed some time after they finish.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
  selectableFields: ['.spec.zone', '.status.phase'],
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Zone', type: 'string', jsonPath: '.spec.zone' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Attempts', type: 'integer', jsonPath: '.status.attempts', priority: 1 },
    { name: 'Error', type: 'string', jsonPath: '.status.error', priority: 1 },
    AGE_COLUMN,
  ],
})

export interface OperationTarget extends Read<typeof target> {}
export interface OperationSpec extends Read<typeof spec> {}
export interface OperationStatus extends Read<typeof status> {}

/** One task for the agent of a zone. */
export interface Operation extends ObjectOf<typeof definition> {}
export interface NewOperation extends DraftOf<typeof definition> {}
export const Operation: DefinedKind<Operation, NewOperation> = definition
