import { kindSchema, structByName } from '@orrery/kinds/tables'
import type { MetricRegistry } from '@orrery/kube/metrics'
import { TrustRoots } from '@orrery/kube/pki'
import { AdmissionChain } from '../admission/chain.js'
import { admissionPlugins, QuotaLedger, type ServiceNetwork } from '../admission-plugins/index.js'
import type { Auditor } from '../audit/auditor.js'
import { Authenticator } from '../authn/authenticator.js'
import { impersonated } from '../authn/impersonation.js'
import { TokenSigner, verificationKey } from '../authn/jwt.js'
import { onCredentialChange, storedCredentials } from '../authn/stored-credentials.js'
import { webSocketToken } from '../authn/websocket-token.js'
import { EscalationGuard } from '../authz/escalation.js'
import { RbacAuthorizer } from '../authz/rbac.js'
import { storedPolicy } from '../authz/stored-policy.js'
import { ChangeFeed, startControllers } from '../controllers/index.js'
import { Discovery } from '../discovery/discovery.js'
import { KUBERNETES_VERSION } from '../discovery/version.js'
import { FlowControl } from '../flowcontrol/flow-control.js'
import { addFlowControlMetrics } from '../flowcontrol/metrics.js'
import { followStoredConfiguration } from '../flowcontrol/stored-configuration.js'
import { embeddedEndpoint, embeddedResources } from '../handlers/embedded-group.js'
import { embeddedPathsEndpoint } from '../handlers/embedded-paths.js'
import {
  discoveryEndpoint,
  indexEndpoint,
  metricsEndpoint,
  openapiEndpoint,
  versionEndpoint,
} from '../handlers/endpoints.js'
import { healthEndpoint } from '../handlers/health.js'
import { maintenanceEndpoint } from '../handlers/maintenance.js'
import { openidEndpoint } from '../handlers/openid.js'
import { type Endpoint, Pipeline } from '../handlers/pipeline.js'
import { RequestMetrics } from '../handlers/request-metrics.js'
import { type ResourceCall, ResourceHandler } from '../handlers/resource.js'
import { serveResource } from '../handlers/subresources/index.js'
import { header } from '../http/exchange.js'
import type { Resource } from '../kinds/resource.js'
import { OpenApi } from '../openapi/openapi.js'
import type { ClusterPki } from '../pki/cluster-pki.js'
import { builtinLogics } from '../registry/builtin.js'
import { Catalog } from '../registry/catalog.js'
import { CustomResources } from '../registry/custom-resources.js'
import { InternalClient } from '../registry/internal.js'
import type { Registry } from '../registry/registry.js'
import type { Store } from '../store/types.js'
import { createWatchHub } from '../watch/hub.js'
import { conversionCaller, storedService, WebhookClient } from '../webhooks/index.js'
import type { ResolvedOptions } from './options.js'
import { serverMetrics } from './server-metrics.js'

/** The issuer of service account tokens. */
const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** The address of a server. */
export interface Address {
  /** Empty if it does not listen. */
  readonly url: string
  readonly hostPort: string
  readonly endpoint: { readonly ip: string; readonly port: number } | undefined
}

/** What the parts of a server depend on. */
export interface Foundation {
  readonly options: ResolvedOptions
  readonly store: Store
  readonly auditor: Auditor | undefined
  /** The data directory. */
  readonly directory: string
  readonly pki: ClusterPki
  readonly serviceNetwork: ServiceNetwork
  /** The address of the server, once it listens. */
  readonly address: () => Address
  /** Why the server is not ready; undefined if it is. */
  readonly unready: () => string | undefined
}

/** The connected parts of a server. */
export interface Assembly {
  readonly pipeline: Pipeline
  /** Starts the controllers of the server. Resolves after they have reconciled everything once. */
  startControllers(): Promise<void>
  /** Ends every watch, and those opened from now on. */
  endWatches(): void
  /** Stops the activities of the parts. The store stays open. */
  close(): Promise<void>
}

/** Connects authentication, authorization, admission, registry, discovery and endpoints. */
export function assemble(foundation: Foundation): Assembly {
  const { options, store, pki, serviceNetwork } = foundation
  const { clock, log } = options
  const hub = createWatchHub(store, { clock })
  const catalog = new Catalog(builtinLogics(clock))
  const stops: (() => void | Promise<void>)[] = []

  const rbac = new RbacAuthorizer(storedPolicy(store))
  const findObject = storedCredentials(store)
  const signer = new TokenSigner(pki.serviceAccountKey)
  const serviceAccountKeys = [verificationKey(pki.serviceAccountKey)]
  const authenticator = new Authenticator({
    roots: new TrustRoots([pki.authority.certificate]),
    clock,
    findObject,
    issuers: [ISSUER],
    audiences: [ISSUER],
    serviceAccountKeys,
    extra: options.tokenAuthenticators,
    allowAnonymous: options.allowAnonymous,
  })
  stops.push(onCredentialChange(store, (resource, namespace, name) => authenticator.forget(resource, namespace, name)))

  const admission = new AdmissionChain()
  const registry: Registry = { store, hub, clock, admission }
  const client = new InternalClient(registry, catalog, 'kube-apiserver')
  const feed = new ChangeFeed(store, log.child('changes'))
  stops.push(() => feed.close())
  const quotas = new QuotaLedger(store, feed)
  const webhooks = new WebhookClient({
    clock,
    resolveService: options.resolveService,
    findService: storedService(store),
  })
  stops.push(() => webhooks.close())
  const admissionContext = {
    store,
    catalog,
    feed,
    authorizer: rbac,
    escalation: new EscalationGuard(rbac),
    quotas,
    serviceNetworks: [serviceNetwork] as const,
    webhooks,
    clock,
    log: log.child('admission'),
  }
  admission.use(admissionPlugins(admissionContext, options.admission({ client, clock })))
  const customs = new CustomResources(
    store,
    catalog,
    {
      callWebhook: conversionCaller(webhooks),
      inProcess: new Map(Object.entries(options.converters)),
    },
    hub,
    log.child('customresources'),
  )
  const metrics = serverMetrics(store, catalog, hub)
  const flowControl = new FlowControl(options.limits.concurrency)
  addFlowControlMetrics(metrics, flowControl)
  stops.push(followStoredConfiguration(store, flowControl))
  const { endpoints, stop } = makeEndpoints(foundation, catalog, customs, metrics, serviceAccountKeys)
  stops.push(stop)
  customs.start()
  stops.push(() => customs.stop())

  const resources = new ResourceHandler(registry)
  const subresources = {
    registry,
    catalog,
    resources,
    authenticator,
    authorizer: rbac,
    rbac,
    clock,
    tokens: { signer, issuer: ISSUER, audiences: [ISSUER], findObject },
    connectors: new Map(Object.entries(options.connectors)),
    customScale: (call: ResourceCall) => customs.scaleOf(call.logic.resource),
  }
  const pipeline = new Pipeline({
    authenticator: {
      authenticate: (exchange) =>
        authenticator.authenticate({
          certificate: exchange.certificate,
          authorization: header(exchange, 'authorization'),
          webSocketToken: () => webSocketToken(exchange),
        }),
      impersonate: (exchange, identity) => impersonated(exchange.headers, identity, rbac) ?? identity,
    },
    authorizer: rbac,
    catalog,
    endpoints,
    serveResource: (call) => serveResource(call, subresources),
    auditor: foundation.auditor,
    metrics: new RequestMetrics(metrics),
    flowControl,
    count: ({ resource }, namespace) => store.count(resource.storage.bucket, namespace === '' ? undefined : namespace),
    flushed: () => store.flushed(),
    now: () => clock.now(),
    log: log.child('request'),
  })
  return {
    pipeline,
    startControllers() {
      const controllers = startControllers({
        client: new InternalClient(registry, catalog, 'kube-controller-manager'),
        store,
        catalog,
        feed,
        clock,
        log: log.child('controllers'),
        authority: pki.authority,
        frontProxyAuthority: pki.frontProxyAuthority,
        tokenSigner: signer,
        address: foundation.address().endpoint,
        serviceIp: serviceNetwork.first,
        serviceCidrs: [serviceNetwork.cidr],
        quotas,
        namespaceDeletionGraceSeconds: options.namespaceDeletionGraceSeconds,
        embeddedGroupVersions: options.groups,
      })
      stops.push(() => controllers.stop())
      return controllers.ready()
    },
    endWatches: () => hub.close(),
    async close() {
      hub.close()
      for (const stop of stops.reverse()) await stop()
    },
  }
}

function makeEndpoints(
  foundation: Foundation,
  catalog: Catalog,
  customs: CustomResources,
  metrics: MetricRegistry,
  keys: Parameters<typeof openidEndpoint>[2],
): { endpoints: Endpoint[]; stop: () => void } {
  const { options, address, unready } = foundation
  const embedded = options.groups.flatMap(embeddedResources)
  const discovery = new Discovery({ serverAddress: () => address().hostPort })
  const openapi = new OpenApi({
    version: KUBERNETES_VERSION.gitVersion,
    schemas: {
      kind: kindSchema,
      named: structByName,
      custom: (resource, dialect) => customs.definitionsOf(resource, dialect),
    },
  })
  const refresh = () => {
    const resources = [...catalog.resources(), ...embedded]
    discovery.update(resources)
    openapi.update(resources)
  }
  refresh()
  const ping = { name: 'ping', problem: () => undefined }
  const startup = { name: 'poststarthook/start-controllers', problem: unready }
  // A server with a failing disk still serves reads, and a restart would not help, so it stays live.
  const storage = { name: 'store', problem: () => foundation.store.problem() }
  const endpoints = [
    healthEndpoint({ livez: [ping], healthz: [ping, storage, startup], readyz: [ping, storage, startup] }),
    versionEndpoint,
    ...options.groups.map(embeddedEndpoint),
    discoveryEndpoint(discovery),
    openapiEndpoint(openapi, () => options.clock.now()),
    maintenanceEndpoint(foundation.store, foundation.directory),
    metricsEndpoint(metrics),
    openidEndpoint(ISSUER, () => address().url, keys),
    ...options.paths.map(embeddedPathsEndpoint),
    indexEndpoint(() => pathsOf([...catalog.resources(), ...embedded])),
  ]
  return { endpoints, stop: catalog.onChange(refresh) }
}

/** Returns every discoverable path, sorted. */
function pathsOf(resources: readonly Resource[]): string[] {
  const paths = new Set([
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ])
  for (const { group, version } of resources) {
    if (group !== '') paths.add(`/apis/${group}`)
    paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`)
  }
  return [...paths].sort()
}
