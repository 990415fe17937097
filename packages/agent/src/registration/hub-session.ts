import {
  ClusterClaim,
  ClusterProperty,
  type ManagedCluster,
  type ManagedClusterStatus,
  RegistrationEvent,
} from '@orrery/api'
import { Namespace, Node } from '@orrery/kinds'
import { setCondition } from '@orrery/kinds/values'
import { type ControllerSpec, Informers, KubeClient, startControllers } from '@orrery/kube'
import type { ControllerGroup } from '@orrery/kube/controller'
import { EventRecorder } from '@orrery/kube/events'
import type { SharedInformer } from '@orrery/kube/informer'
import { Contention } from '../contention.js'
import type { AgentContext } from '../context.js'
import { ApiServerProbe } from './apiserver-probe.js'
import { clientConfigs } from './client-configs.js'
import { clusterCertificate } from './cluster-certificate.js'
import { ClusterLease } from './cluster-lease.js'
import { clusterInformer, isAccepted, reportStatus } from './cluster-report.js'
import { clusterStatus } from './cluster-status.js'
import { failover } from './failover.js'
import { HubConnection } from './hub-connection.js'
import { configOf, type HubIdentity, isFor } from './hub-identity.js'
import { HubMemory } from './hub-memory.js'
import { HubTime } from './hub-time.js'
import { managedNamespaces } from './managed-namespaces.js'
import { managedNamespaceLabel } from './names.js'
import { PartRunner } from './part-runner.js'
import { CLUSTER_CONTENTION_PAUSE, FIELD_MANAGER, type RegistrationContext } from './registration-context.js'
import { meanwhile, Trigger } from './wakes.js'

const FORGOTTEN =
  'the hub does not know this agent any more: its cluster was detached, another agent joined under its name, ' +
  'or the hub was restored from an older backup. To rejoin, stop this agent and run `orrery join` again'

export interface HubSessionContext extends RegistrationContext {
  /** Informers on the cluster. They outlive the session with a hub. */
  readonly spokeInformers: Informers
  /** Called when the agent has to switch to another hub. */
  readonly onLost: (reason: string) => void
}

/**
 * The agent on one hub, with its own certificate: lease, status, certificate rotation and works. Runs until it is
 * closed.
 */
export class HubSession {
  readonly identity: HubIdentity
  readonly #context: HubSessionContext
  readonly #connection: HubConnection
  readonly #hubTime: HubTime
  readonly #memory: HubMemory
  readonly #hub: KubeClient
  readonly #informers: Informers
  readonly #clusters: SharedInformer<ManagedCluster>
  readonly #events: EventRecorder
  readonly #lease: ClusterLease
  readonly #probe: ApiServerProbe
  readonly #probeTrigger = new Trigger()
  readonly #refusals = new Trigger()
  readonly #parts: PartRunner
  readonly #contention: Contention
  readonly #controllers: ControllerGroup

  constructor(context: HubSessionContext, identity: HubIdentity) {
    const { options, names } = context
    const { clock, log, metrics, random, spoke, connectHub } = options
    this.identity = identity
    this.#context = context
    this.#contention = new Contention(clock, CLUSTER_CONTENTION_PAUSE)
    this.#connection = new HubConnection(connectHub, clock, configOf(identity), identity.notAfter)
    this.#hubTime = new HubTime(clock)
    this.#memory = new HubMemory(
      () => {
        context.trigger.fire()
        this.#refusals.fire()
      },
      () => context.trigger.fire(),
    )
    const transport = this.#memory.heardOver(this.#hubTime.heardOver(this.#connection))
    this.#hub = new KubeClient(transport, { fieldManager: FIELD_MANAGER })
    this.#informers = new Informers(this.#hub, { clock, log, random })
    this.#clusters = clusterInformer(this.#informers, names.clusterName)
    this.#events = new EventRecorder(this.#hub, { controller: 'klusterlet-agent', clock, log: log.child('events') })
    const { clusterName } = names
    const clusters = this.#clusters
    const { healthCheckPeriod: period, handoverSeconds } = options
    this.#lease = new ClusterLease({
      hub: this.#hub,
      clusters,
      clusterName,
      handoverSeconds,
      clock,
      log: log.child('lease'),
      random,
    })
    this.#probe = new ApiServerProbe(spoke, { clock, period, onChange: () => this.#probeTrigger.fire() })
    this.#parts = new PartRunner({
      parts: options.parts,
      context: this.#partContext(),
      clusters,
      base: context.identities,
      isRefused: () => this.isForgotten,
      refusals: this.#refusals,
    })
    this.#controllers = startControllers(this.#specs(), { client: this.#hub, clock, log, metrics })
  }

  /** Whether the session belongs to an identity: the same agent on the same hub, with any certificate. */
  isFor(identity: HubIdentity): boolean {
    return isFor(identity, this.identity.hub, this.identity.names)
  }

  /** Continues with another certificate. */
  use(identity: HubIdentity): void {
    this.#connection.use(configOf(identity), identity.notAfter)
  }

  /** The time of the hub at this local time. */
  hubNow(now: Date): Date {
    return this.#hubTime.at(now)
  }

  /** Whether the hub authenticates the agent but does not know its cluster. */
  get isForgotten(): boolean {
    return this.#memory.isForgotten
  }

  /** The resource version of the lease when it was last renewed. */
  get lastVersion(): string | undefined {
    return this.#lease.version
  }

  /** Whether the hub has known the cluster during this session. */
  get wasKnown(): boolean {
    return this.#memory.wasKnown
  }

  /** A problem that an administrator may have to solve. */
  get problem(): string | undefined {
    if (this.isForgotten) return FORGOTTEN
    const { failingSince, lastError } = this.#clusters.health
    if (failingSince !== undefined) return `requests to the hub fail: ${lastError?.message}`
    const cluster = this.#clusters.get({ name: this.#context.names.clusterName })
    if (!this.#clusters.synced || (cluster !== undefined && isAccepted(cluster))) return undefined
    return cluster === undefined ? FORGOTTEN : 'the hub does not accept the cluster'
  }

  async close(): Promise<void> {
    await this.#controllers.stop()
    await Promise.all([this.#parts.close(), this.#probe.close()])
    await this.#lease.close()
    await this.#events.close()
    await this.#informers.close()
    this.#hub.close()
  }

  #specs(): ControllerSpec[] {
    const { options, names, onLost } = this.#context
    const { clusterName } = names
    const clusters = this.#clusters
    const specs = [
      this.#status(),
      this.#certificate(),
      this.#namespaces(),
      clientConfigs({ clusterName, clusters, options }),
      this.#parts.controller(),
    ]
    if (!options.features.MultipleHubs) return specs
    const renewedAt = () => this.#lease.renewedAt
    const { hubTimeout, clock } = options
    return [...specs, failover({ clusterName, clusters, renewedAt, startedAt: clock.elapsed(), hubTimeout, onLost })]
  }

  #partContext(): AgentContext {
    const { options, names, spokeInformers, certificateSeconds, identityRef, requestRef } = this.#context
    const { spoke, namespace, agentName, clock, log, metrics, features, work, addons, bootstrapSecrets } = options
    return {
      hub: this.#hub,
      hubInformers: this.#informers,
      hubServer: this.identity.hub.server,
      hubAddress: this.identity.hub,
      hubTime: this.#hubTime,
      clusterName: names.clusterName,
      ...(agentName !== undefined && { agentId: agentName }),
      events: this.#events,
      features,
      work,
      addons,
      certificateSeconds,
      ownSecretNames: [identityRef.name, requestRef.name, ...bootstrapSecrets],
      spoke,
      spokeInformers,
      agentNamespace: namespace,
      clock,
      log,
      metrics,
    }
  }

  #status(): ControllerSpec {
    const { options, names, spokeInformers } = this.#context
    const { ClusterClaim: hasClaims, ClusterProperty: hasProperties } = options.features
    return clusterStatus({
      clusterName: names.clusterName,
      clusters: this.#clusters,
      nodes: spokeInformers.of(Node),
      claims: hasClaims ? spokeInformers.of(ClusterClaim) : undefined,
      properties: hasProperties ? spokeInformers.of(ClusterProperty) : undefined,
      claimRules: options,
      probe: this.#probe,
      probeWake: this.#probeTrigger.wake(this.#clusters, { name: names.clusterName }),
      events: this.#events,
      contention: this.#contention,
    })
  }

  #namespaces(): ControllerSpec {
    const { options, names, spokeInformers } = this.#context
    const label = managedNamespaceLabel(this.identity.hub.server)
    return managedNamespaces({
      clusterName: names.clusterName,
      clusters: this.#clusters,
      spoke: options.spoke,
      namespaces: spokeInformers.of(Namespace, { labelSelector: `${label}=true` }),
      label,
    })
  }

  #certificate(): ControllerSpec {
    const { options, names, identities, identityRef } = this.#context
    const ref = { name: names.clusterName }
    return clusterCertificate(this.#context, {
      name: 'next-certificate',
      hub: this.identity.hub,
      informers: this.#informers,
      hubTime: this.#hubTime,
      isActive: (hasCertificate) => hasCertificate,
      wakes: [meanwhile(this.#clusters, identities, identityRef)],
      report: async (condition, report, signal) => {
        if (report.state === 'failed' && report.problem === 'too-many-requests') this.#recordHalt()
        const cluster = this.#clusters.get(ref)
        if (cluster === undefined) return
        const now = options.clock.now()
        const turn = this.#contention.turn('certificate')
        const statusOf = ({ status = {} }: ManagedCluster) => {
          const wish = { ...status, conditions: setCondition(status.conditions, condition, now) }
          return turn.settle<ManagedClusterStatus>(status, wish, condition)
        }
        await reportStatus(this.#hub, cluster, statusOf, signal)
        turn.done()
      },
    })
  }

  #recordHalt(): void {
    const { clusterName } = this.#context.names
    const cluster = this.#clusters.get({ name: clusterName })
    if (cluster === undefined) return
    const { apiVersion, kind, metadata } = cluster
    this.#events.record({
      regarding: { apiVersion, kind, name: clusterName, namespace: clusterName, uid: metadata.uid },
      type: 'Warning',
      reason: RegistrationEvent.CertificateCreationHalted,
      note: `Too many certificate requests of this cluster are pending on the hub: ${this.#hubTime.problem ?? 'approve, deny or delete them'}`,
    })
  }
}
