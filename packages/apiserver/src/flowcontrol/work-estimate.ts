import { type Exchange, header } from '../http/exchange.js'
import type { RequestTarget } from '../request/target.js'

/** kube-apiserver's measures: a list takes a seat for every hundred objects, and no request more than ten. */
const OBJECTS_PER_SEAT = 100
const MAX_SEATS = 10
/** A body of the greatest size takes ten seats as well. */
const BODY_BYTES_PER_SEAT = 320 * 1024

/** How many seats a request takes, by the work it is likely to be. `count` tells how many objects there are. */
export function estimateSeats(exchange: Exchange, target: RequestTarget, count: () => number): number {
  switch (target.verb) {
    case 'list':
      return listSeats(target, count)
    case 'get':
    // Its initial state is read when it is the user's turn, and until then it needs next to nothing.
    case 'watch':
      return 1
    default:
      return bounded((Number(header(exchange, 'content-length')) || 0) / BODY_BYTES_PER_SEAT)
  }
}

function listSeats({ query }: RequestTarget, count: () => number): number {
  const limit = Number(query.get('limit')) || Number.POSITIVE_INFINITY
  const isFiltered = query.has('labelSelector') || query.has('fieldSelector')
  // A selector is asked about every object, however few it chooses.
  return bounded((isFiltered ? count() : Math.min(limit, count())) / OBJECTS_PER_SEAT)
}

function bounded(seats: number): number {
  return Math.max(1, Math.min(MAX_SEATS, Math.ceil(seats)))
}
