import { certificatesSuite } from './certificates.js'
import { controllersSuite } from './controllers.js'
import { discoverySuite } from './discovery.js'
import { eventsSuite } from './events.js'
import { informersSuite } from './informers.js'
import { leasesSuite } from './leases.js'
import { requestsSuite } from './requests.js'
import type { Connect } from './subject.js'
import { writingSuite } from './writing.js'

/** All tests of a client on any cluster. */
export function clientSuite(where: string, connect: Connect): void {
  requestsSuite(where, connect)
  discoverySuite(where, connect)
  informersSuite(where, connect)
  controllersSuite(where, connect)
  writingSuite(where, connect)
  leasesSuite(where, connect)
  certificatesSuite(where, connect)
  eventsSuite(where, connect)
}
