import type { IncomingMessage, ServerResponse } from 'node:http'
import { noSuchPath } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { Manager, ManagerContext } from '@orrery/kube/manager'
import { addProcessMetrics, type MetricRegistry } from '@orrery/kube/metrics'
import { accessTo as metricsAccess, type Serve, serveProbe } from '@orrery/kube/serving'
import { Operation } from '../kinds/operation.js'
import { Template } from '../kinds/template.js'
import { VirtualDataCenter } from '../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { Zone } from '../kinds/zone.js'
import { authentication } from './access/identity.js'
import { oidcVerifier } from './access/oidc.js'
import { Permissions } from './access/permissions.js'
import { RecentAnswers } from './access/recent-answers.js'
import { hubGauges } from './hub-gauges.js'
import type { OvimHubOptions } from './options.js'
import { OperationQueue } from './queue/operation-queue.js'
import { queueMetrics } from './queue/queue-metrics.js'
import { requestServer } from './server/request-server.js'
import { adminRoutes } from './spoke/admin-api.js'
import { SPOKE_PREFIX, spokeRoutes } from './spoke/spoke-api.js'
import { ZoneTemplates } from './templates/zone-templates.js'
import { USER_PREFIX, userRoutes } from './user/user-api.js'
import type { AgentContacts } from './zones/agent-contacts.js'
import { ZoneObjects } from './zones/indexes.js'
import { StatusReports } from './zones/status-reports.js'

export interface OvimServerOptions extends Pick<OvimHubOptions, 'client' | 'oidc' | 'signal'> {
  readonly context: ManagerContext
  readonly contacts: AgentContacts
  readonly manager: Pick<Manager, 'health'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
}

export interface OvimServer {
  readonly serve: Serve
  /** Ends requests that wait, so that the port can close. */
  stop(): void
  close(): void
}

/** A report of some thousand machines. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024
const MAX_USER_BYTES = 256 * 1024

/** What the port of the hub service serves: the APIs for agents and users, health and metrics. Resolves when the cache is filled. */
export async function ovimServer(options: OvimServerOptions): Promise<OvimServer> {
  const { client, context, contacts, manager, clock, metrics } = options
  const { informers } = context
  const log = options.log.child('api')
  const stopping = new AbortController()
  const answers = new RecentAnswers(clock)
  const permissions = new Permissions(client, answers)
  const zones = informers.of(Zone)
  const vdcs = informers.of(VirtualDataCenter)
  const operations = informers.of(Operation)
  const queue = new OperationQueue({ client, operations, clock, metrics: queueMetrics(metrics) })
  const objects = new ZoneObjects(informers.of(VirtualMachineRequest), vdcs)
  const reports = new StatusReports({ client, zones, objects, contacts })
  const templates = new ZoneTemplates(informers.of(Template), vdcs)
  const stopProcessMetrics = addProcessMetrics(metrics)
  const stopGauges = hubGauges(metrics, { queue, operations, zones, requests: informers.of(VirtualMachineRequest) })
  const respond = requestServer({
    apis: [
      {
        prefix: SPOKE_PREFIX,
        routes: [
          ...spokeRoutes({ permissions, zones, queue, reports, contacts, templates }),
          ...adminRoutes({ client, permissions, zones, operations, contacts, clock }),
        ],
        errors: 'error',
        maxBodyBytes: MAX_REPORT_BYTES,
      },
      {
        prefix: USER_PREFIX,
        routes: userRoutes({ client, informers, permissions, contacts, queue, clock }),
        errors: 'problem',
        maxBodyBytes: MAX_USER_BYTES,
      },
    ],
    authenticate: authentication({
      client,
      answers,
      verifiers: (options.oidc ?? []).map((issuer) => oidcVerifier(issuer, clock, log)),
    }),
    metrics,
    clock,
    log,
    stopping: stopping.signal,
  })
  const problems = () => (stopping.signal.aborted ? ['the server stops'] : manager.health.problems)
  const checks = {
    '/livez': () => [],
    '/readyz': problems,
    '/healthz': problems,
    '/health/live': () => [],
    '/health/ready': problems,
  }
  const probes = { checks, metrics, mayReadMetrics: metricsAccess('/metrics', client) }
  await informers.whenSynced(options.signal)
  return {
    async serve(path: string, request: IncomingMessage, response: ServerResponse) {
      if (path === '/health' || path === '/health/status') return health(response, problems())
      if (path === '/version') return sendJson(response, 200, { version: API_VERSION })
      if (await respond(request, response)) return
      if (!Object.hasOwn(checks, path) && path !== '/metrics') throw noSuchPath()
      await serveProbe(path, request, response, probes)
    },
    stop: () => stopping.abort(),
    close() {
      stopGauges()
      stopProcessMetrics()
      queue.close()
    },
  }
}

const API_VERSION = 'v1'

/** Agents ask this before they report: a hub that is degraded still takes reports. */
function health(response: ServerResponse, problems: readonly string[]): void {
  sendJson(response, 200, { status: problems.length === 0 ? 'healthy' : 'degraded', problems })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body))
}
