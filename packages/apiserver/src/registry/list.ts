import type { KubeObject } from '@orrery/kinds'
import { badRequest, expired, type StatusError, timeout } from '@orrery/kinds/values'
import { inTurns, Pace } from '../fairness/turns.js'
import { type ListOptions, parseResourceVersion } from '../request/options.js'
import { type Entry, type Page, RevisionCompacted } from '../store/types.js'
import type { VerbContext } from './context.js'
import { type ContinueToken, decodeContinue, encodeContinue } from './continue.js'
import type { Registry } from './registry.js'
import { parseSelection, type Selection, type ServedFilter, selects } from './selection.js'

export interface ListResult {
  readonly entries: readonly Entry[]
  /** The converted objects, if a selector required the conversion. */
  readonly objects?: readonly KubeObject[]
  readonly revision: number
  /** Empty if the list is complete. */
  readonly continue: string
  readonly remaining: number | undefined
}

const LIST_EXPIRED = 'The resourceVersion for the provided list is too old.'
const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.'

/** The number of concurrent conversions. */
const CONVERSIONS = 16

/** The maximum number of objects for which a selector is evaluated at once. */
const AT_ONCE = 500

/**
 * Returns the objects of a list request at its revision (REST storage: List). It is asynchronous only if a webhook must
 * convert objects, or if there are so many that users take turns.
 */
export function list(registry: Registry, context: VerbContext, options: ListOptions): ListResult | Promise<ListResult> {
  const namespace = context.logic.resource.namespaced && context.namespace !== '' ? context.namespace : undefined
  const selection = parseSelection(context.logic, namespace, options.labelSelector, options.fieldSelector)
  const { filter, served } = selection
  if (served !== undefined) return listServed(registry, context, options, selection, served)
  const { bucket } = context.logic.resource.storage
  const { username } = context.identity
  if (isEarlier(registry, options)) return listEarlier(registry, context, options, selection)
  if (filter === undefined || registry.store.count(bucket) <= AT_ONCE) {
    return listStored(registry, context, options, selection)
  }
  const { entries } = registry.store.page({ bucket, namespace: selection.namespace })
  if (selection.onlyLabels) {
    // Labels are read in turns. Evaluating them afterwards costs no more than a lookup.
    return inTurns(username, entries, (entry) => void entry.labels()).then(() =>
      listStored(registry, context, options, selection),
    )
  }
  // The selector is evaluated in turns and its results are cached; only objects written meanwhile are evaluated again.
  const known = new WeakMap<Entry, boolean>()
  const matches = (entry: Entry) => known.get(entry) ?? filter.matches(entry)
  return inTurns(username, entries, (entry) => {
    known.set(entry, filter.matches(entry))
  }).then(() => listStored(registry, context, options, { ...selection, filter: { ...filter, matches } }))
}

function listStored(registry: Registry, context: VerbContext, options: ListOptions, selection: Selection): ListResult {
  const { bucket } = context.logic.resource.storage
  const single = pinnedEntry(registry, context, selection, options)
  if (single !== undefined) return single

  const token = options.continue === '' ? undefined : continueToken(registry, options)
  const revision = listedRevision(registry, options, token)
  const limit = options.limit > 0 ? options.limit : undefined
  let page: Page
  try {
    page = registry.store.page({
      bucket,
      namespace: selection.namespace,
      ...(revision !== undefined && { revision }),
      ...(token !== undefined && { after: token.after }),
      ...(limit !== undefined && { limit }),
      ...((selection.filter !== undefined || selection.name !== undefined) && {
        matches: (entry) => selects(selection, entry),
      }),
    })
  } catch (error) {
    throw asExpired(error, options)
  }
  const last = page.entries.at(-1)
  if (page.remaining === 0 || limit === undefined || last === undefined) {
    return { entries: page.entries, revision: page.revision, continue: '', remaining: undefined }
  }
  // With a selector the number of remaining matches is unknown.
  const remaining = selection.filter === undefined && selection.name === undefined ? page.remaining : undefined
  return {
    entries: page.entries,
    revision: page.revision,
    continue: encodeContinue({ revision: page.revision, after: placeOf(last) }),
    remaining,
  }
}

/** Earlier versions of objects are read from disk and parsed again for each list. */
async function listEarlier(
  registry: Registry,
  context: VerbContext,
  options: ListOptions,
  selection: Selection,
): Promise<ListResult> {
  const pace = new Pace(context.identity.username)
  await pace.next()
  if (selection.filter === undefined && selection.name === undefined) {
    return listStored(registry, context, options, selection)
  }
  const all = { ...selection, filter: undefined, name: undefined }
  const range = listStored(registry, context, { ...options, limit: 0, ...asLimited(options) }, all)
  const entries: Entry[] = []
  for (const [index, entry] of range.entries.entries()) {
    if (pace.isUsedUp) await pace.next()
    if (!selects(selection, entry)) continue
    entries.push(entry)
    if (entries.length !== options.limit || index + 1 === range.entries.length) continue
    return { ...range, entries, continue: encodeContinue({ revision: range.revision, after: placeOf(entry) }) }
  }
  return { ...range, entries }
}

/** Converts all objects in range and returns those that match, up to the limit. */
async function listServed(
  registry: Registry,
  context: VerbContext,
  options: ListOptions,
  selection: Selection,
  matches: ServedFilter,
): Promise<ListResult> {
  const range = listStored(registry, context, { ...options, limit: 0, ...asLimited(options) }, selection)
  const entries: Entry[] = []
  const objects: KubeObject[] = []
  // Objects already in the version of the request are converted synchronously.
  const pace = new Pace(context.identity.username)
  for (let start = 0; start < range.entries.length; start += CONVERSIONS) {
    if (pace.isUsedUp) await pace.next()
    const chunk = range.entries.slice(start, start + CONVERSIONS)
    const served = await Promise.all(chunk.map((entry) => context.logic.fromStorage(entry.object())))
    for (const [index, object] of served.entries()) {
      if (!matches(object)) continue
      const entry = chunk[index] as Entry
      entries.push(entry)
      objects.push(object)
      if (entries.length !== options.limit || start + index + 1 === range.entries.length) continue
      const token = encodeContinue({ revision: range.revision, after: placeOf(entry) })
      return { entries, objects, revision: range.revision, continue: token, remaining: undefined }
    }
  }
  return { entries, objects, revision: range.revision, continue: '', remaining: undefined }
}

function placeOf({ namespace, name }: Entry): ContinueToken['after'] {
  return { namespace, name }
}

/** A limit implies an exact revision. Without the limit it must be specified. */
function asLimited({ limit, resourceVersion, resourceVersionMatch }: ListOptions): Partial<ListOptions> {
  const isExact = limit > 0 && resourceVersionMatch === '' && resourceVersion !== '' && resourceVersion !== '0'
  return isExact ? { resourceVersionMatch: 'Exact' } : {}
}

/** A list with `metadata.name` in its field selector is a lookup instead of a scan. */
function pinnedEntry(
  registry: Registry,
  context: VerbContext,
  selection: Selection,
  options: ListOptions,
): ListResult | undefined {
  const { name, namespace } = selection
  const { resource } = context.logic
  const spread = resource.namespaced && namespace === undefined
  if (name === undefined || spread || options.continue !== '' || options.resourceVersionMatch === 'Exact')
    return undefined
  requireRevision(registry, options.resourceVersion)
  const { store } = registry
  const entry = store.get(resource.storage.bucket, namespace ?? '', name)
  const entries =
    entry !== undefined && (selection.filter === undefined || selection.filter.matches(entry)) ? [entry] : []
  return { entries, revision: store.revision, continue: '', remaining: undefined }
}

/** The token contains the revision, so the request must not. */
function continueToken({ store }: Registry, options: ListOptions): ContinueToken {
  if (options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  const token = decodeContinue(options.continue)
  if (token.revision > store.revision) throw revisionTooLarge(token.revision, store.revision)
  return token
}

/** Whether a list must show an earlier state than the newest. */
function isEarlier(registry: Registry, options: ListOptions): boolean {
  const token = options.continue === '' ? undefined : continueToken(registry, options)
  const revision = listedRevision(registry, options, token)
  return revision !== undefined && revision < registry.store.revision
}

/** Returns the revision that a list or its next page must show, or undefined for the newest. */
function listedRevision(registry: Registry, options: ListOptions, token: ContinueToken | undefined) {
  if (token === undefined) return exactRevision(registry, options)
  return token.revision === -1 ? undefined : token.revision
}

function exactRevision(registry: Registry, options: ListOptions): number | undefined {
  const asked = requireRevision(registry, options.resourceVersion)
  if (asked === undefined || asked === 0) return undefined
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0)
  return exact ? asked : undefined
}

/** Parses a resourceVersion and refuses one from the future with a 504, which clients retry. */
export function requireRevision(registry: Registry, resourceVersion: string): number | undefined {
  const asked = parseResourceVersion(resourceVersion)
  if (asked !== undefined && asked > registry.store.revision) throw revisionTooLarge(asked, registry.store.revision)
  return asked
}

function revisionTooLarge(asked: number, current: number): StatusError {
  const error = timeout(`Timeout: Too large resource version: ${asked}, current: ${current}`, 1)
  error.status.details = {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  }
  return error
}

/** Returns a 410 if history was compacted before a list was read or rendered, and any other error as it is. */
export function asExpired(error: unknown, options: ListOptions): unknown {
  if (!(error instanceof RevisionCompacted)) return error
  return options.continue === '' ? expired(LIST_EXPIRED) : continueExpired(decodeContinue(options.continue).after)
}

function continueExpired(after: { namespace: string; name: string }): StatusError {
  const error = expired(CONTINUE_EXPIRED)
  error.status.metadata = { continue: encodeContinue({ revision: -1, after }) }
  return error
}
