import { type ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { Informers, KubeClient, startControllers } from '@orrery/kube'
import type { ControllerGroup } from '@orrery/kube/controller'
import type { SharedInformer } from '@orrery/kube/informer'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { clusterCertificate } from './cluster-certificate.js'
import { clusterCreation } from './cluster-creation.js'
import { clusterInformer } from './cluster-report.js'
import type { HubAddress } from './hub-address.js'
import { HubTime } from './hub-time.js'
import { FIELD_MANAGER, type RegistrationContext } from './registration-context.js'
import { createCluster } from './rejoining.js'
import { Trigger } from './wakes.js'

/** A hub, and the credentials to ask it for an identity with. */
export interface BootstrapHub {
  readonly address: HubAddress
  readonly config: ClientConfig
  /** For how long the agent is to ask for certificates there. */
  readonly certificateSeconds?: number
}

/** Gets the agent its identity on a hub, with the credentials it was invited by. Runs until it is closed. */
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

  /** `wasThere`: the agent has been on a hub under these names, so whoever is there under them may be itself. */
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

  /** Whether the hub has let the cluster in, or cannot be asked: then nothing is gained by waiting for it here. */
  get isOver(): boolean {
    if (this.#clusters.health.failingSince !== undefined) return true
    return isConditionTrue(this.#cluster?.status?.conditions, ManagedClusterCondition.HubAccepted)
  }

  /** What a time here is on the hub. */
  hubNow(now: Date): Date {
    return this.#hubTime.at(now)
  }

  /** For how long it runs, in milliseconds. */
  get age(): number {
    return this.#context.options.clock.elapsed() - this.#since
  }

  /** How long the hub has not answered, in milliseconds. */
  get failingFor(): number {
    return this.#clusters.health.failingFor
  }

  /** What a person may have to do something about. */
  get problem(): string | undefined {
    const { failingSince, lastError } = this.#clusters.health
    if (failingSince !== undefined) return `the hub cannot be asked: ${lastError?.message}`
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
          options.log.warn('too many requests for certificates wait on the hub to add another', {
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

  /** Hubs approve by themselves only what is asked for the cluster that is there. */
  #isOutdated({ metadata }: CertificateSigningRequest): boolean {
    const created = Date.parse(this.#cluster?.metadata.creationTimestamp ?? '')
    return Date.parse(metadata.creationTimestamp ?? '') < created
  }

  /** Two agents under one name would undo each other's work, and read each other's secrets. */
  get #isTaken(): boolean {
    if (this.#mayTakeOver) return false
    return isConditionTrue(this.#cluster?.status?.conditions, ManagedClusterCondition.Available)
  }

  #takenMessage(): string {
    const name = JSON.stringify(this.#context.names.clusterName)
    return `the hub has a cluster ${name} whose agent is alive: choose another name, or stop that agent first`
  }

  #refuse(refusal: string | undefined): void {
    if (refusal === this.#refusal) return
    this.#refusal = refusal
    this.#context.trigger.fire()
  }
}
