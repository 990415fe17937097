/** A query or path parameter of some operation. */
export interface Parameter {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'integer'
  readonly description: string
}

const ALL: readonly Parameter[] = [
  text('allowWatchBookmarks', 'Send bookmark events to those who watch.', 'boolean'),
  text('container', 'The container to connect to, if there are several.'),
  text('continue', 'Where the list before this one ended.'),
  text('dryRun', 'Set to All to go through all steps and store nothing.'),
  text('fieldManager', 'Who makes the change, for managed fields.'),
  text('fieldSelector', 'Only objects with these field values.'),
  text('fieldValidation', 'What to do about unknown and duplicate fields: Ignore, Warn or Strict.'),
  text('follow', 'Keep sending what is added.', 'boolean'),
  text('force', 'Take over fields that others manage. Only for apply.', 'boolean'),
  text('gracePeriodSeconds', 'Seconds the object has to end by itself. Zero deletes it at once.', 'integer'),
  text('labelSelector', 'Only objects with these labels.'),
  text('limit', 'The most objects to send at a time.', 'integer'),
  text('limitBytes', 'The most bytes to send.', 'integer'),
  text('name', 'Name of the object.'),
  text('namespace', 'Namespace of the object.'),
  text('orphanDependents', 'Whether to keep dependents. Use propagationPolicy instead.', 'boolean'),
  text('path', 'The rest of the path to ask for.'),
  text('pretty', 'Set to true to get indented output.'),
  text('previous', 'Look at the container that ran before.', 'boolean'),
  text('propagationPolicy', 'What becomes of dependents: Orphan, Background or Foreground.'),
  text('resourceVersion', 'The state to show, or to start from.'),
  text('resourceVersionMatch', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  text('sendInitialEvents', 'Start a watch with all objects there are.', 'boolean'),
  text('sinceSeconds', 'Only what is not older than this.', 'integer'),
  text('tailLines', 'Only so many lines from the end.', 'integer'),
  text('timeoutSeconds', 'When to end a list or watch.', 'integer'),
  text('timestamps', 'Begin each line with the time.', 'boolean'),
  text('watch', 'Send changes as they happen.', 'boolean'),
]

const BY_NAME: ReadonlyMap<string, Parameter> = new Map(ALL.map((parameter) => [parameter.name, parameter]))

/** The parameter of a name. Every name that operations use is in the table. */
export function parameterOf(name: string): Parameter {
  const found = BY_NAME.get(name)
  if (found === undefined) throw new Error(`no parameter is called ${name}`)
  return found
}

/**
 * Parameters that documents may share by reference. kubectl looks for some of the others by name in the operation
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
