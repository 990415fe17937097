/** A query or path parameter. */
export interface Parameter {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'integer'
  readonly description: string
}

const ALL: readonly Parameter[] = [
  text('allowWatchBookmarks', 'Whether to send bookmark events in a watch.', 'boolean'),
  text('container', 'The container to connect to. Required if the pod has several containers.'),
  text('continue', 'The continue token of the previous list.'),
  text('dryRun', 'Set to All to run all steps without storing the result.'),
  text('fieldManager', 'The name of the field manager that makes this change.'),
  text('fieldSelector', 'Selects objects by their fields. Defaults to everything.'),
  text('fieldValidation', 'How to handle unknown and duplicate fields: Ignore, Warn or Strict. Defaults to Warn.'),
  text('follow', 'Whether to stream the log. Defaults to false.', 'boolean'),
  text('force', 'Whether to take over fields that other managers own. Only for apply.', 'boolean'),
  text('gracePeriodSeconds', 'The grace period of the deletion in seconds. 0 deletes immediately.', 'integer'),
  text('labelSelector', 'Selects objects by their labels. Defaults to everything.'),
  text('limit', 'The maximum number of objects in a response.', 'integer'),
  text('limitBytes', 'The maximum number of bytes to send.', 'integer'),
  text('name', 'The name of the object.'),
  text('namespace', 'The namespace of the object.'),
  text('orphanDependents', 'Deprecated: use propagationPolicy. Whether to orphan dependents.', 'boolean'),
  text('path', 'The path to proxy to.'),
  text('pretty', 'Whether to indent the output.'),
  text('previous', 'Whether to return the log of the previous run of the container.', 'boolean'),
  text('propagationPolicy', 'How dependents are deleted: Orphan, Background or Foreground.'),
  text('resourceVersion', 'The resource version to list, or to watch from.'),
  text('resourceVersionMatch', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  text('sendInitialEvents', 'Whether a watch starts with events for all existing objects.', 'boolean'),
  text('sinceSeconds', 'Returns only lines of the last seconds.', 'integer'),
  text('tailLines', 'The number of lines from the end of the log.', 'integer'),
  text('timeoutSeconds', 'The timeout of a list or watch in seconds.', 'integer'),
  text('timestamps', 'Whether to prefix each line with its timestamp.', 'boolean'),
  text('watch', 'Whether to watch for changes.', 'boolean'),
]

const BY_NAME: ReadonlyMap<string, Parameter> = new Map(ALL.map((parameter) => [parameter.name, parameter]))

/** Returns a parameter by name. The table contains every name that operations use. */
export function parameterOf(name: string): Parameter {
  const found = BY_NAME.get(name)
  if (found === undefined) throw new Error(`no parameter is called ${name}`)
  return found
}

/**
 * Parameters that documents can share by reference. kubectl looks for some of the others by name in the operation
 * itself, so those are written out each time.
 */
export const SHARED_PARAMETERS: readonly Parameter[] = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'namespace',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
].map(parameterOf)

function text(name: string, description: string, type: Parameter['type'] = 'string'): Parameter {
  return { name, type, description }
}
