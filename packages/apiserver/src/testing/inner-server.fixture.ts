import type { TestContext } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { silentLogger } from '@orrery/kube/log'
import { generateKey } from '@orrery/kube/pki'
import { eventually, FakeClock, testAuthority } from '@orrery/kube/testing'
import { AdmissionChain } from '../admission/chain.js'
import type { AdmissionPlugin } from '../admission/types.js'
import { admissionPlugins, QuotaLedger, ServiceNetwork } from '../admission-plugins/index.js'
import { TokenSigner } from '../authn/jwt.js'
import { EscalationGuard } from '../authz/escalation.js'
import { RbacAuthorizer } from '../authz/rbac.js'
import { storedPolicy } from '../authz/stored-policy.js'
import type { Controller, ControllerContext } from '../controllers/controller.js'
import { NAMESPACES, SERVICE_ACCOUNTS } from '../controllers/resources.js'
import { type Identity, SYSTEM_MASTER } from '../identity/identity.js'
import { builtinLogics } from '../registry/builtin.js'
import { Catalog } from '../registry/catalog.js'
import { CustomResources } from '../registry/custom-resources.js'
import { bucketOf, InternalClient, type ResourceRef } from '../registry/internal.js'
import type { Registry } from '../registry/registry.js'
import { ChangeFeed } from '../store/change-feed.js'
import { openStore } from '../store/open.js'
import { temporaryDirectory } from '../store/testing.fixture.js'
import type { Store } from '../store/types.js'
import { createWatchHub } from '../watch/hub.js'
import { conversionCaller, type ResolveService, storedService, WebhookClient } from '../webhooks/index.js'

/** A server without HTTP: a store in a temporary directory, the registry, admission and the requested controllers. */
export interface InnerServer {
  readonly store: Store
  readonly clock: FakeClock
  readonly catalog: Catalog
  readonly client: InternalClient
  readonly context: ControllerContext
  /** Stops everything. Called after the test anyway. */
  close(): Promise<void>
  /** Returns a client that acts as another user. */
  as(identity: Identity): InternalClient
  /** Resolves when an object meets a condition; undefined stands for a missing object. */
  eventually(
    ref: ResourceRef,
    namespace: string,
    name: string,
    wanted: (object: KubeObject | undefined) => boolean,
  ): Promise<KubeObject | undefined>
}

export interface InnerServerOptions {
  readonly controllers?: readonly ((context: ControllerContext) => Controller)[]
  /** Initial namespaces, each with its default service account. */
  readonly namespaces?: readonly string[]
  /** Defaults to a clock that stands still. */
  readonly clock?: FakeClock
  /** The data directory. Defaults to a new one. */
  readonly directory?: string
  /** Plugins after the built-in ones. */
  readonly plugins?: readonly AdmissionPlugin[]
  readonly resolveService?: ResolveService
  /** Defaults to 0: the content of deleted namespaces is deleted immediately. */
  readonly namespaceDeletionGraceSeconds?: number
}

export async function startInnerServer(t: TestContext, options: InnerServerOptions = {}): Promise<InnerServer> {
  const clock = options.clock ?? new FakeClock()
  const store = await openStore(options.directory ?? temporaryDirectory(t), { clock })
  const catalog = new Catalog(builtinLogics(clock))
  const feed = new ChangeFeed(store, silentLogger)
  const authorizer = new RbacAuthorizer(storedPolicy(store))
  const network = new ServiceNetwork('10.96.0.0/24')
  const escalation = new EscalationGuard(authorizer)
  const quotas = new QuotaLedger(store, feed)
  const webhooks = new WebhookClient({
    clock,
    resolveService: options.resolveService,
    findService: storedService(store),
  })
  const serviceNetworks = [network] as const
  const plugins = admissionPlugins(
    { store, catalog, feed, authorizer, escalation, quotas, serviceNetworks, webhooks, clock, log: silentLogger },
    options.plugins ?? [],
  )
  const hub = createWatchHub(store, { clock })
  const admission = new AdmissionChain()
  admission.use(plugins)
  const registry: Registry = { store, hub, clock, admission }
  const conversions = { callWebhook: conversionCaller(webhooks) }
  const customs = new CustomResources(store, catalog, conversions, hub, silentLogger)
  customs.start()
  const as = (identity: Identity) => new InternalClient(registry, catalog, 'test', identity)
  const client = as(SYSTEM_MASTER)
  const context: ControllerContext = {
    client,
    store,
    catalog,
    feed,
    clock,
    log: silentLogger,
    quotas,
    authority: testAuthority('kubernetes', clock.now()),
    frontProxyAuthority: testAuthority('front-proxy-ca', clock.now()),
    tokenSigner: new TokenSigner(generateKey().privateKey),
    address: { ip: '192.0.2.7', port: 6443 },
    serviceIp: network.first,
    serviceCidrs: [network.cidr],
    namespaceDeletionGraceSeconds: options.namespaceDeletionGraceSeconds ?? 0,
    embeddedGroupVersions: [],
  }
  for (const name of options.namespaces ?? []) {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    const metadata = { name: 'default', namespace: name }
    await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  }
  const controllers = (options.controllers ?? []).map((make) => make(context))
  for (const controller of controllers) controller.start()
  const close = async () => {
    await Promise.all(controllers.map((controller) => controller.stop()))
    webhooks.close()
    customs.stop()
    feed.close()
    hub.close()
    await store.close()
  }
  t.after(close)
  await Promise.all(controllers.map((controller) => controller.ready()))
  return {
    store,
    clock,
    catalog,
    client,
    context,
    as,
    close,
    async eventually(ref, namespace, name, wanted) {
      let object: KubeObject | undefined
      const isWanted = () => {
        object = client.get(ref, namespace, name)
        return wanted(object)
      }
      const what = `${bucketOf(ref)} ${namespace}/${name} is as wanted`
      await eventually(what, isWanted, { seen: () => object })
      return object
    },
  }
}
