import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { column, NAME, wide } from './column.js'
import { dig, type Fields, fieldsOf, integer, text, textOr } from './fields.js'
import { since } from './format.js'

/** The field names of the two Event kinds, of the core group and of events.k8s.io. */
interface EventFieldNames {
  readonly object: string
  readonly message: string
  readonly first: string
  readonly last: string
  readonly count: string
  readonly source: string
  readonly reporter: string
}

const CORE: EventFieldNames = {
  object: 'involvedObject',
  message: 'message',
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
  source: 'source',
  reporter: 'reportingComponent',
}

const EVENTS_GROUP: EventFieldNames = {
  object: 'regarding',
  message: 'note',
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  source: 'deprecatedSource',
  reporter: 'reportingController',
}

export const CORE_EVENT_COLUMNS = eventColumns(CORE)
export const EVENT_COLUMNS = eventColumns(EVENTS_GROUP)

function eventColumns(names: EventFieldNames): readonly Column[] {
  const about = (event: KubeObject): Fields => fieldsOf(event[names.object])
  const firstSeen = (event: KubeObject, now: Date): string => since(event[names.first] ?? event.eventTime, now)
  return [
    column('Last Seen', 'Time since the last occurrence.', (event, now) => {
      if (typeof event.series === 'object') return since(dig(event.series, 'lastObservedTime'), now)
      const last = event[names.last]
      return typeof last === 'string' ? since(last, now) : firstSeen(event, now)
    }),
    column('Type', 'Normal or Warning.', (event) => text(event.type)),
    column('Reason', 'The reason.', (event) => text(event.reason)),
    column('Object', 'The regarding object.', (event) => {
      const { kind, name } = about(event)
      return text(name) === '' ? text(kind).toLowerCase() : `${text(kind).toLowerCase()}/${text(name)}`
    }),
    wide(column('Subobject', 'The part of the regarding object.', (event) => text(about(event).fieldPath))),
    wide(
      column('Source', 'The reporter.', (event) => {
        const { component, host } = fieldsOf(event[names.source])
        const reporter = textOr(component, text(event[names.reporter]))
        const instance = textOr(host, text(event.reportingInstance))
        return instance === '' ? reporter : `${reporter}, ${instance}`
      }),
    ),
    column('Message', 'The message.', (event) => text(event[names.message]).trim()),
    wide(column('First Seen', 'Time since the first occurrence.', firstSeen)),
    wide(
      column('Count', 'Number of occurrences.', (event) => {
        if (typeof event.series === 'object') return integer(dig(event.series, 'count'))
        return integer(event[names.count]) || 1
      }),
    ),
    wide(NAME),
  ]
}
