import type { JsonValue, KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column } from './column.js'
import { conditionOf, fieldsOf, spec, status, text, textOr } from './fields.js'

export const FLOW_SCHEMA_COLUMNS: readonly Column[] = [
  column('PriorityLevel', 'The priority level of its requests.', (object) =>
    text(fieldsOf(spec(object).priorityLevelConfiguration).name),
  ),
  column(
    'MatchingPrecedence',
    'Its precedence: the first schema that matches a request applies.',
    (object) => (spec(object).matchingPrecedence ?? 0) as JsonValue,
  ),
  column('DistinguisherMethod', 'How its requests are divided into flows.', (object) =>
    textOr(fieldsOf(spec(object).distinguisherMethod).type, '<none>'),
  ),
  AGE,
  column('MissingPL', 'Whether its priority level is missing.', (object) =>
    textOr(conditionOf(status(object).conditions, 'Dangling')?.status, '?'),
  ),
]

function limited(object: KubeObject, field: string): JsonValue {
  return (fieldsOf(spec(object).limited)[field] ?? '<none>') as JsonValue
}

function queuing(object: KubeObject, field: string): JsonValue {
  const { limitResponse } = fieldsOf(spec(object).limited)
  return (fieldsOf(fieldsOf(limitResponse).queuing)[field] ?? '<none>') as JsonValue
}

export const PRIORITY_LEVEL_COLUMNS: readonly Column[] = [
  column('Type', 'Whether its requests are limited.', (object) => text(spec(object).type)),
  column('NominalConcurrencyShares', 'Its share of the seats of the server.', (object) =>
    limited(object, 'nominalConcurrencyShares'),
  ),
  column('Queues', 'Number of queues.', (object) => queuing(object, 'queues')),
  column('HandSize', 'Number of queues for each flow.', (object) => queuing(object, 'handSize')),
  column('QueueLengthLimit', 'Maximum number of waiting requests in a queue.', (object) =>
    queuing(object, 'queueLengthLimit'),
  ),
  AGE,
]
