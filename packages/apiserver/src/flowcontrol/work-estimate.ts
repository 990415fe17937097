import { type Exchange, header } from '../http/exchange.js'
import type { RequestTarget } from '../request/target.js'

/** The values of kube-apiserver: a list takes a seat for each hundred objects, and no request more than ten. */
const OBJECTS_PER_SEAT = 100
const MAX_SEATS = 10
/** A body of the maximum size takes ten seats too. */
const BODY_BYTES_PER_SEAT = 320 * 1024

/** Estimates the seats of a request (the work estimator). `count` returns the number of objects. */
export function estimateSeats(exchange: Exchange, target: RequestTarget, count: () => number): number {
  switch (target.verb) {
    case 'list':
      return listSeats(target, count)
    case 'get':
    // The initial state is read when it is the user's turn; until then a watch needs almost nothing.
    case 'watch':
      return 1
    default:
      return bounded((Number(header(exchange, 'content-length')) || 0) / BODY_BYTES_PER_SEAT)
  }
}

function listSeats({ query }: RequestTarget, count: () => number): number {
  const limit = Number(query.get('limit')) || Number.POSITIVE_INFINITY
  const isFiltered = query.has('labelSelector') || query.has('fieldSelector')
  // A selector is evaluated for every object, however few match.
  return bounded((isFiltered ? count() : Math.min(limit, count())) / OBJECTS_PER_SEAT)
}

function bounded(seats: number): number {
  return Math.max(1, Math.min(MAX_SEATS, Math.ceil(seats)))
}
