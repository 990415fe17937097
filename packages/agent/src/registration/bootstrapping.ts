import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { Informers, KubeClient, startControllers } from '@orrery/kube'
import type { ControllerGroup } from '@orrery/kube/controller'
import type { SharedInformer } from '@orrery/kube/informer'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import type { HubAddress } from '../hub-address.js'
import { clusterCertificate } from './cluster-certificate.js'
import { clusterCreation } from './cluster-creation.js'
import { clusterInformer } from './cluster-report.js'
import { HubTime } from './hub-time.js'
import { FIELD_MANAGER, type RegistrationContext } from './registration-context.js'
import { createCluster } from './rejoining.js'
import { Trigger } from './wakes.js'

/** A hub, and the bootstrap credentials for it. */
export interface BootstrapHub {
  readonly address: HubAddress
  readonly config: ClientConfig
  /** The requested lifetime of certificates on this hub. */
  readonly certificateSeconds?: number
}

/** Requests the agent's first certificate from a hub, with the bootstrap credentials. Runs until it is closed. */
export class Bootstrapping {
  readonly hub: BootstrapHub
  readonly #context: RegistrationContext
  readonly #mayTakeOver: boolean
  readonly #hubTime: HubTime
  readonly #client: KubeClient
  readonly #informers: Informers
  readonly #clusters: SharedInformer<ManagedCluster>
  readonly #controllers: ControllerGroup
  readonly #seenTrigger = new Trigger()
  readonly #since: number
  #cluster: ManagedCluster | undefined
  #refusal: string | undefined

  /** `wasThere`: the agent has been on a hub under these names, so a ManagedCluster with them may be its own. */
  constructor(context: RegistrationContext, hub: BootstrapHub, wasThere: boolean) {
    const { options, names } = context
    const { clock, log, metrics, random } = options
    this.hub = hub
    this.#context = context
    this.#since = clock.elapsed()
    this.#mayTakeOver = wasThere || options.takeOver
    this.#hubTime = new HubTime(clock)
    this.#client = new KubeClient(this.#hubTime.heardOver(options.connectHub(hub.config)), {
      fieldManager: FIELD_MANAGER,
    })
    this.#informers = new Informers(this.#client, { clock, log: log.child('bootstrap'), random })
    this.#clusters = clusterInformer(this.#informers, names.clusterName)
    const specs = [this.#creation(), this.#certificate()]
    this.#controllers = startControllers(specs, { client: this.#client, clock, log, metrics })
  }

  /** Whether the hub has accepted the cluster, or may not be read: waiting longer has no use. */
  get isOver(): boolean {
    if (this.#clusters.health.failingSince !== undefined) return true
    return isConditionTrue(this.#cluster?.status?.conditions, ManagedClusterCondition.HubAccepted)
  }

  /** The time of the hub at this local time. */
  hubNow(now: Date): Date {
    return this.#hubTime.at(now)
  }

  /** How long it has been running, in milliseconds. */
  get age(): number {
    return this.#context.options.clock.elapsed() - this.#since
  }

  /** How long the hub has not answered, in milliseconds. */
  get failingFor(): number {
    return this.#clusters.health.failingFor
  }

  /** A problem that an administrator may have to solve. */
  get problem(): string | undefined {
    const { failingSince, lastError } = this.#clusters.health
    if (failingSince !== undefined) return `requests to the hub fail: ${lastError?.message}`
    return this.#isTaken ? this.#takenMessage() : this.#refusal
  }

  async close(): Promise<void> {
    await this.#controllers.stop()
    await this.#informers.close()
    this.#client.close()
  }

  #creation() {
    const { names, identities } = this.#context
    return clusterCreation({
      clusterName: names.clusterName,
      clusters: this.#clusters,
      base: identities,
      createCluster: (hub, signal) => createCluster(this.#context, hub, signal),
      onSeen: (cluster) => this.#see(cluster),
    })
  }

  #certificate() {
    const { names, options, identities, identityRef } = this.#context
    return clusterCertificate(this.#context, {
      name: 'first-certificate',
      hub: this.hub.address,
      informers: this.#informers,
      hubTime: this.#hubTime,
      isActive: (hasCertificate) => !hasCertificate,
      clusterUid: () => this.#cluster?.metadata.uid,
      isOutdated: (request) => this.#isOutdated(request),
      mayRequest: () => this.#cluster !== undefined && !this.#isTaken,
      wakes: [this.#seenTrigger.wake(identities, identityRef)],
      report: async ({ status, message }, report) => {
        if (report.state === 'failed' && report.problem === 'too-many-requests') {
          options.log.warn('too many certificate requests of this cluster are pending on the hub', {
            ...names,
            ...(this.#hubTime.problem !== undefined && { clock: this.#hubTime.problem }),
          })
        }
        this.#refuse(status === 'False' ? message : undefined)
      },
    })
  }

  #see(cluster: ManagedCluster): void {
    const wasTaken = this.#isTaken
    this.#cluster = cluster
    if (this.#isTaken && !wasTaken) this.#context.options.log.warn(this.#takenMessage())
    this.#seenTrigger.fire()
    this.#context.trigger.fire()
  }

  /** Hubs only auto-approve requests for the current ManagedCluster. */
  #isOutdated({ metadata }: CertificateSigningRequest): boolean {
    const created = Date.parse(this.#cluster?.metadata.creationTimestamp ?? '')
    return Date.parse(metadata.creationTimestamp ?? '') < created
  }

  /** Two agents under one name would overwrite each other's reports and could read each other's Secrets. */
  get #isTaken(): boolean {
    if (this.#mayTakeOver) return false
    return isConditionTrue(this.#cluster?.status?.conditions, ManagedClusterCondition.Available)
  }

  #takenMessage(): string {
    const name = JSON.stringify(this.#context.names.clusterName)
    return `the hub has a cluster ${name} with an active agent: choose another name, or stop that agent first`
  }

  #refuse(refusal: string | undefined): void {
    if (refusal === this.#refusal) return
    this.#refusal = refusal
    this.#context.trigger.fire()
  }
}
