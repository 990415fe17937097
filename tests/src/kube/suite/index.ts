import { controllersSuite } from './controllers.js'
import { discoverySuite } from './discovery.js'
import { requestsSuite } from './requests.js'
import type { Connect } from './subject.js'

/** Everything a client must do on any cluster, the same everywhere. */
export function clientSuite(where: string, connect: Connect): void {
  requestsSuite(where, connect)
  discoverySuite(where, connect)
  controllersSuite(where, connect)
}
