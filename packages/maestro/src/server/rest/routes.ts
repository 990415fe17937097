import type { IncomingMessage } from 'node:http'
import { ERROR_REASONS, MaestroError } from '../errors.js'
import { BUNDLE_COLUMNS, CONSUMER_COLUMNS } from '../search/columns.js'
import type { Bundle } from '../store/bundle.js'
import type { Bundles } from '../store/bundles.js'
import type { Consumer, Consumers } from '../store/consumers.js'
import { type Answer, jsonAnswer } from './answer.js'
import { labelsMember, readObject, textMember } from './body.js'
import { BUNDLE_FIELDS, bundleMembers, selectableMembers } from './bundle-json.js'
import { CONSUMER_FIELDS, consumerMembers } from './consumer-json.js'
import { errorBody } from './failure.js'
import { type Members, objectText } from './json-text.js'
import { listParameters, pageOf } from './list-parameters.js'
import { listText } from './list-text.js'
import { OPENAPI } from './openapi.js'
import { API_PATH, BUNDLES_PATH, CONSUMERS_PATH, ERRORS_PATH, OPENAPI_PATH, VERSION_PATH } from './paths.js'

/** What the REST API reads and writes. */
export interface RestBackend {
  readonly consumers: Omit<Consumers, 'delete'> & {
    /** With `force`, also the bundles of the consumer, without waiting for its agent. */
    delete(id: string, options: { readonly force: boolean }): Promise<unknown>
  }
  readonly bundles: Pick<Bundles, 'get' | 'settled' | 'count' | 'stream'> & {
    /** Marks a bundle as deleting; nothing if it does not exist or is deleting already. */
    delete(id: string): Promise<void>
  }
}

export interface Call {
  readonly request: IncomingMessage
  readonly query: URLSearchParams
  /** The last part of the path, for paths with an id. */
  readonly id: string
  /** Throws a 403 unless the caller has permission for something else than the path of the request. */
  authorize(verb: string, path: string): Promise<void>
}

type Handle = (call: Call) => Answer | Promise<Answer>

/** The methods of a path. */
export type Route = Readonly<Record<string, Handle>>

/** The routes by path. An id is `{id}`. */
export function restRoutes({ bundles, consumers }: RestBackend): ReadonlyMap<string, Route> {
  const listBundles: Handle = async ({ query }) => {
    const { page, query: asked, fields } = listParameters(query, BUNDLE_COLUMNS, BUNDLE_FIELDS)
    const list = await bundles.settled(asked)
    const total = await bundles.count(list)
    const members = fields === undefined ? bundleMembers : selectableMembers
    const parts = list.limit === 0 ? nothing() : membersOf(bundles.stream(list), members)
    return { status: 200, parts: listText({ kind: 'ResourceBundleList', page, total, fields }, parts) }
  }
  const listConsumers: Handle = async ({ query }) => {
    const { page, query: list, fields } = listParameters(query, CONSUMER_COLUMNS, CONSUMER_FIELDS)
    const { rows, total } = await consumers.list(list)
    const parts = once(rows.map(consumerMembers))
    return { status: 200, parts: listText({ kind: 'ConsumerList', page, total, fields }, parts) }
  }
  const createConsumer: Handle = async ({ request }) => {
    const body = await readObject(request)
    if (textMember(body, 'id') !== undefined) throw new MaestroError('Validation', 'id must be empty')
    const [name, labels] = [textMember(body, 'name'), labelsMember(body)]
    return consumerAnswer(201, await consumers.create({ ...(name && { name }), ...(labels && { labels }) }))
  }
  const patchConsumer: Handle = async ({ request, id }) => {
    const labels = labelsMember(await readObject(request))
    return consumerAnswer(
      200,
      await found('Consumer', id, labels ? consumers.patchLabels(id, labels) : consumers.get(id)),
    )
  }
  return new Map<string, Route>([
    [API_PATH, { GET: () => jsonAnswer(200, API) }],
    [VERSION_PATH, { GET: () => jsonAnswer(200, VERSION) }],
    [OPENAPI_PATH, { GET: () => ({ status: 200, body: OPENAPI }) }],
    [ERRORS_PATH, { GET: listErrors }],
    [`${ERRORS_PATH}/{id}`, { GET: ({ id }) => jsonAnswer(200, knownError(id)) }],
    [BUNDLES_PATH, { GET: listBundles }],
    [
      `${BUNDLES_PATH}/{id}`,
      {
        async GET({ id }) {
          const bundle = await found('Resource', id, bundles.get(id))
          return { status: 200, body: objectText(bundleMembers(bundle)) }
        },
        async DELETE({ id }) {
          await bundles.delete(id)
          return { status: 204 }
        },
      },
    ],
    [CONSUMERS_PATH, { GET: listConsumers, POST: createConsumer }],
    [
      `${CONSUMERS_PATH}/{id}`,
      {
        GET: async ({ id }) => consumerAnswer(200, await found('Consumer', id, consumers.get(id))),
        PATCH: patchConsumer,
        async DELETE({ id, query, authorize }) {
          const force = isForced(query)
          if (force) await authorize('delete', `${BUNDLES_PATH}/*`)
          await consumers.delete(id, { force })
          return { status: 204 }
        },
      },
    ],
  ])
}

const API = {
  id: 'maestro',
  href: API_PATH,
  kind: 'API',
  versions: [{ id: 'v1', href: VERSION_PATH, kind: '', collections: null }],
}

const VERSION = {
  id: 'v1',
  href: VERSION_PATH,
  kind: 'APIVersion',
  collections: [
    { id: 'resource-bundles', href: BUNDLES_PATH, kind: 'ResourceBundleList' },
    { id: 'consumers', href: CONSUMERS_PATH, kind: 'ConsumerList' },
    { id: 'errors', href: ERRORS_PATH, kind: 'ErrorList' },
  ],
}

function listErrors({ query }: Call): Answer {
  const { page, size } = pageOf(query)
  const all = [...ERROR_REASONS].map(([id, reason]) => errorBody({ id, reason }, ''))
  const start = Math.max(0, page - 1) * size
  const items = all.slice(start, start + size)
  return jsonAnswer(200, { kind: 'ErrorList', page, size: items.length, total: all.length, items })
}

function knownError(written: string): object {
  const id = Number(written)
  const reason = ERROR_REASONS.get(id)
  if (reason === undefined) throw new MaestroError('NotFound', `No error with id ${written} exists`)
  return errorBody({ id, reason }, '')
}

function isForced(query: URLSearchParams): boolean {
  const force = query.get('force') ?? 'false'
  if (force === 'true' || force === 'false') return force === 'true'
  throw new MaestroError('Validation', `force ${JSON.stringify(force)} is not valid: use true or false`)
}

function consumerAnswer(status: number, consumer: Consumer): Answer {
  return { status, body: objectText(consumerMembers(consumer)) }
}

async function found<T>(kind: string, id: string, reading: Promise<T | undefined>): Promise<T> {
  const value = await reading
  if (value === undefined) throw new MaestroError('NotFound', `${kind} with id='${id}' not found`)
  return value
}

async function* membersOf(
  parts: ReturnType<Bundles['stream']>,
  members: (bundle: Bundle) => Members,
): AsyncGenerator<Members[]> {
  for await (const part of parts) yield part.map(members)
}

async function* once(items: readonly Members[]): AsyncGenerator<readonly Members[]> {
  yield items
}

async function* nothing(): AsyncGenerator<Members[]> {
  yield []
}
