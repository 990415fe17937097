import { type FieldError, fieldInvalid, invalid, type StatusError } from '@orrery/kinds/values'
import type { LogRequest } from './log-source.js'

/** The query parameters of a log request (`PodLogOptions`). */
export interface LogQuery {
  get(key: string): string
  flag(key: string): boolean
  integer(key: string): number | undefined
}

/** Parses the query of a log request. Throws a 422 for invalid values. */
export function logRequestOf(query: LogQuery, now: Date): LogRequest {
  const errors: FieldError[] = []
  const tailLines = query.integer('tailLines')
  const limitBytes = query.integer('limitBytes')
  const sinceSeconds = query.integer('sinceSeconds')
  const sinceTime = query.get('sinceTime')
  const stream = query.get('stream')
  const atLeast = (name: string, value: number | undefined, least: number) => {
    if (value !== undefined && value < least) {
      errors.push(fieldInvalid(name, value, `must be greater than ${least === 0 ? 'or equal to 0' : '0'}`))
    }
  }
  atLeast('tailLines', tailLines, 0)
  atLeast('limitBytes', limitBytes, 1)
  atLeast('sinceSeconds', sinceSeconds, 1)
  if (sinceSeconds !== undefined && sinceTime !== '') {
    errors.push(
      fieldInvalid('sinceSeconds', sinceSeconds, 'at most one of `sinceTime` or `sinceSeconds` may be specified'),
    )
  }
  const time = sinceTime === '' ? undefined : new Date(sinceTime)
  if (time !== undefined && Number.isNaN(time.getTime())) {
    errors.push(fieldInvalid('sinceTime', sinceTime, 'must be a time such as 2030-01-31T12:00:00Z'))
  }
  if (!['', 'All', 'Stdout', 'Stderr'].includes(stream)) {
    errors.push(fieldInvalid('stream', stream, 'must be All, Stdout or Stderr'))
  }
  if (errors.length > 0) throw refused(errors)
  return {
    follow: query.flag('follow'),
    timestamps: query.flag('timestamps'),
    tailLines,
    limitBytes,
    since: sinceSeconds === undefined ? time : new Date(now.getTime() - sinceSeconds * 1_000),
    stream: stream === 'Stdout' ? 'stdout' : stream === 'Stderr' ? 'stderr' : undefined,
  }
}

function refused(errors: FieldError[]): StatusError {
  return invalid({ group: '', kind: 'PodLogOptions' }, '', errors)
}
