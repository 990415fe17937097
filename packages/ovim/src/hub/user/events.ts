import { Event } from '@orrery/kinds'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { fieldProblem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { UserContext } from './context.js'
import { eventStream } from './event-stream.js'
import { ownerOf } from './ids.js'

const MAX_EVENTS = 500
const RECENT = 50

/** Kubernetes events about the objects of organizations, newest first, and the stream of changes. */
export function eventRoutes(context: UserContext): RouteSpec[] {
  const namespacesOf = async ({ caller, query }: Call): Promise<string[]> => {
    const organization = query.get('organization')
    if (!organization) return context.namespaces(caller, 'list', Event)
    const namespace = organizationNamespace(organization)
    await context.require(caller, 'list', Event as never, { namespace })
    return [namespace]
  }

  const list = async (call: Call, limit: number): Promise<Answer> => {
    const namespaces = await namespacesOf(call)
    const lists = await Promise.all(namespaces.map((namespace) => context.client.list(Event, { namespace })))
    const events = lists
      .flatMap(({ items }) => items)
      .map(eventJson)
      .sort((a, b) => (a.last_seen < b.last_seen ? 1 : -1))
    return { status: 200, body: { events: events.slice(0, limit), total: events.length } }
  }

  return [
    { path: '/api/v1/events', methods: { GET: (call) => list(call, limitOf(call)) } },
    { path: '/api/v1/events/recent', methods: { GET: (call) => list(call, RECENT) } },
    { path: '/api/v1/events/stream', methods: { GET: eventStream(context) } },
  ]
}

function limitOf({ query }: Call): number {
  const limit = Number(query.get('limit') ?? MAX_EVENTS)
  if (!Number.isInteger(limit) || limit < 1) throw fieldProblem('limit', 'must be a whole number of at least 1')
  return Math.min(limit, MAX_EVENTS)
}

function eventJson({ metadata, regarding, reason, note, type, eventTime, series }: Event) {
  return {
    id: metadata.uid,
    org_id: ownerOf(metadata.namespace),
    type: type ?? 'Normal',
    reason,
    message: note,
    object: { kind: regarding?.kind, name: regarding?.name },
    count: series?.count ?? 1,
    first_seen: eventTime ?? metadata.creationTimestamp,
    last_seen: series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp,
  }
}
