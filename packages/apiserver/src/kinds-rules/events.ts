import type { JsonObject } from '@orrery/kinds'
import { type FieldError, fieldInvalid, fieldRequired, isQualifiedName } from '@orrery/kinds/values'
import { reportFormat, type StructCheck } from './check.js'
import { type KindRules, NAMESPACED } from './kind.js'
import { childOf, has, numberOf, textOf } from './read.js'

const MAX_SHORT_TEXT = 128
const MAX_NOTE = 1024

/** The field names of the two event groups for the same fields. */
interface EventFields {
  readonly regarding: string
  readonly controller: string
  readonly note: string
}

const CORE: EventFields = { regarding: 'involvedObject', controller: 'reportingComponent', note: 'message' }
const EVENTS: EventFields = { regarding: 'regarding', controller: 'reportingController', note: 'note' }

/** Errors use the field names of the stored form, whichever group the client uses. */
function checkEvent(event: JsonObject, fields: EventFields, errors: FieldError[]): void {
  const namespace = textOf(childOf(event, 'metadata'), 'namespace')
  const regarding = textOf(childOf(event, fields.regarding), 'namespace')
  const mismatch = () =>
    errors.push(fieldInvalid('involvedObject.namespace', regarding, 'does not match event.namespace'))
  if (!has(event, 'eventTime')) {
    if (regarding === '' ? namespace !== '' && namespace !== 'default' : namespace !== regarding) mismatch()
    return
  }
  if (regarding === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch()
  const controller = textOf(event, fields.controller)
  if (controller === '') errors.push(fieldRequired(fields.controller))
  reportFormat(isQualifiedName, controller, fields.controller, errors)
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const text = textOf(event, field)
    if (text === '') errors.push(fieldRequired(field))
    if (Buffer.byteLength(text) > MAX_SHORT_TEXT) {
      errors.push(fieldInvalid(field, '', `can have at most ${MAX_SHORT_TEXT} characters`))
    }
  }
  if (Buffer.byteLength(textOf(event, fields.note)) > MAX_NOTE) {
    errors.push(fieldInvalid('message', '', `can have at most ${MAX_NOTE} characters`))
  }
}

const newEvent: StructCheck = (event, _at, errors) => {
  const series = childOf(event, 'series')
  if (series !== undefined) {
    if (numberOf(series, 'count') < 2) errors.push(fieldInvalid('series.count', '', 'should be at least 2'))
    if (!has(series, 'lastObservedTime')) errors.push(fieldRequired('series.lastObservedTime'))
  }
  if (!has(event, 'eventTime')) errors.push(fieldRequired('eventTime'))
  const type = textOf(event, 'type')
  if (type !== 'Normal' && type !== 'Warning') errors.push(fieldInvalid('type', '', `has invalid value: ${type}`))
  const unset: readonly (readonly [string, string])[] = [
    ['deprecatedFirstTimestamp', 'firstTimestamp'],
    ['deprecatedLastTimestamp', 'lastTimestamp'],
    ['deprecatedCount', 'count'],
    ['deprecatedSource', 'source'],
  ]
  for (const [field, shown] of unset) {
    const value = event[field]
    const empty = !value || (field === 'deprecatedSource' && !Object.values(value).some(Boolean))
    if (!empty) errors.push(fieldInvalid(shown, '', 'needs to be unset'))
  }
}

/** Events of the core group. */
export const coreEventRules: KindRules = {
  ...NAMESPACED,
  nameRule: 'any',
  valid: (event, _at, errors) => checkEvent(event, CORE, errors),
}

/** Events of events.k8s.io, which has stricter rules for new ones. */
export const eventRules: KindRules = {
  ...NAMESPACED,
  valid: (event, _at, errors) => checkEvent(event, EVENTS, errors),
  onCreate: newEvent,
}
