import { ADDON_INSTALL_NAMESPACE_LABEL, ADDON_NAME_LABEL, AddOnCondition, type ManagedClusterAddOn } from '@orrery/api'
import type { CertificateSigningRequest, ObjectRef, Secret } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, type ReconcileContext, requeueAfter } from '@orrery/kube'
import { type Requeue, soonest } from '@orrery/kube/controller'
import { type CredentialReport, keepCertificate, keepToken } from '@orrery/kube/credentials'
import { ensureNamespace } from '../namespace.js'
import { HUB_BACKOFF } from '../registration/registration-context.js'
import { credentialsChanged } from './addon-changes.js'
import type { Addons } from './addons.js'
import { certificateCredential, currentCertificate } from './certificate-credential.js'
import { credentialConditions, type IdentityReport } from './conditions.js'
import { type Credential, credentialsOf } from './credential.js'
import { type CredentialContext, storeOf } from './credential-context.js'
import { addonOf } from './credential-store.js'
import { tokenAccountOf, withDriver } from './driver.js'
import { claimSecret } from './secret-claim.js'
import { serviceAccountUid, tokenCredential } from './token-credential.js'

const NAME = 'addon-registration'
/** How long a hub may take to set the subject of a registration, in milliseconds. Some do not set it. */
const SUBJECT_PERIOD = 5_000

/**
 * Keeps the credentials of all add-ons of the cluster, one Secret for each registration in the status of the ManagedClusterAddOn, and
 * deletes those of registrations that are gone. While an add-on is being deleted its Secrets stay: its agent may need them to clean
 * up. Corresponds to the `AddOnRegistrationController` of Open Cluster Management.
 */
export function addonCredentials(context: CredentialContext, addons: Addons): ControllerSpec {
  const { clusterName: namespace, managed, hosting, requests } = context
  const ofSecret = (secret: Secret): ObjectRef => ({ namespace, name: addonOf(secret) })
  const ofRequest = ({ metadata }: CertificateSigningRequest): ObjectRef | undefined => {
    const name = metadata.labels?.[ADDON_NAME_LABEL]
    return name === undefined ? undefined : { namespace, name }
  }
  const stores = managed === hosting ? [managed] : [managed, hosting]
  return {
    name: NAME,
    wakes: [
      each(addons.informer, undefined, { when: credentialsChanged }),
      each(requests, ofRequest),
      ...stores.map(({ secrets }) => each(secrets, ofSecret)),
    ],
    concurrency: 4,
    backoff: HUB_BACKOFF,
    reconcile: (ref, reconcile) => new CredentialReconcile(context, addons, reconcile).run(ref),
  }
}

class CredentialReconcile {
  readonly #context: CredentialContext
  readonly #addons: Addons
  readonly #reconcile: ReconcileContext
  readonly #reports: IdentityReport[] = []

  constructor(context: CredentialContext, addons: Addons, reconcile: ReconcileContext) {
    this.#context = context
    this.#addons = addons
    this.#reconcile = reconcile
  }

  async run(ref: ObjectRef): Promise<Requeue | undefined> {
    const { clusterName, options, hubTime } = this.#context
    const { clock, signal } = this.#reconcile
    const addon = this.#addons.informer.get(ref)
    if (addon === undefined) {
      this.#addons.forget(ref.name, NAME)
      return this.#deleteObsolete(ref.name, [])
    }
    const isLeaving = isBeingDeleted(addon)
    if (!isLeaving && (await this.#declareDriver(addon))) return undefined
    const credentials = credentialsOf(addon, clusterName, options.kubeClientDriver)
    if (!isLeaving) await this.#deleteObsolete(ref.name, credentials)
    const results = await Promise.allSettled(credentials.map((credential) => this.#keep(addon, credential, isLeaving)))
    const conditions = credentialConditions(this.#reports, tokenAccountOf(clusterName, ref.name), hubTime.problem)
    const contended = await this.#addons.writeConditions(addon, conditions, NAME, signal)
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    const requeues = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
    return soonest(clock.now(), contended, ...requeues)
  }

  /** Writes the driver of this agent into the status. Returns whether it did: then the change wakes the controller again. */
  async #declareDriver(addon: ManagedClusterAddOn): Promise<boolean> {
    const { clusterName, options } = this.#context
    const declared = (status: NonNullable<ManagedClusterAddOn['status']>) =>
      withDriver(status, options.kubeClientDriver, clusterName, addon.metadata.name)
    const { status = {} } = addon
    if (declared(status) === status) return false
    const written = await this.#addons.writeStatus(addon, declared, this.#reconcile.signal)
    // A hub that does not know the field drops it: there is no change to wait for.
    return written?.status === undefined || declared(written.status) === written.status
  }

  async #deleteObsolete(addonName: string, credentials: readonly Credential[]): Promise<undefined> {
    const { managed, hosting } = this.#context
    for (const store of new Set([managed, hosting])) {
      const needed = credentials.filter((credential) => storeOf(this.#context, credential) === store)
      const refs = needed.flatMap(({ secret, requestSecret }) => [secret, requestSecret])
      await store.deleteObsolete(addonName, refs, this.#reconcile.signal)
    }
    return undefined
  }

  /** Keeps one credential. Writes no Secret that exists for another purpose. */
  async #keep(addon: ManagedClusterAddOn, credential: Credential, isLeaving: boolean): Promise<Requeue | undefined> {
    const { secret, problem, location } = credential
    const { signal } = this.#reconcile
    const store = storeOf(this.#context, credential)
    const refusal = problem ?? this.#ownSecretProblem(credential)
    if (refusal !== undefined) return this.#refuse(credential, refusal)
    const owner = { clusterName: this.#context.clusterName, addonName: credential.addonName }
    const claim = await claimSecret(store.client, store.secrets, secret, owner, signal)
    if (claim.type === 'refused') return this.#refuse(credential, claim.problem)
    if (claim.type === 'absent') {
      // Its namespace may be gone already.
      if (isLeaving) return undefined
      await ensureNamespace(store.client, location.namespace, { [ADDON_INSTALL_NAMESPACE_LABEL]: 'true' }, { signal })
    }
    return credential.identity.type === 'token'
      ? this.#keepToken(addon, credential)
      : this.#keepCertificate(addon, credential)
  }

  async #keepCertificate(addon: ManagedClusterAddOn, credential: Credential): Promise<Requeue | undefined> {
    const { identity, secret, requestSecret, addonName } = credential
    if (identity.type !== 'certificate') return undefined
    const { clock, signal } = this.#reconcile
    const { client, secrets } = storeOf(this.#context, credential)
    const now = clock.now()
    const current = await currentCertificate(this.#context, credential, identity, secrets.get(secret), now)
    const awaited = current === undefined && !credential.hasSubject ? this.#subjectTime(addon) : 0
    if (awaited > 0) return requeueAfter(awaited)
    if (current === undefined || now >= current.renewAt) {
      const owner = { clusterName: this.#context.clusterName, addonName }
      const claim = await claimSecret(client, secrets, requestSecret, owner, signal)
      if (claim.type === 'refused') return this.#refuse(credential, claim.problem)
    }
    const report = async (state: CredentialReport) => this.#report(credential, state)
    return keepCertificate(certificateCredential(this.#context, credential, identity, report), this.#reconcile)
  }

  /**
   * How long to wait for the subject, in milliseconds. A hub sets it after this agent has written its driver. A request with the default
   * subject would not be approved then, and agents may not delete requests.
   */
  #subjectTime({ status }: ManagedClusterAddOn): number {
    const registered = findCondition(status?.conditions, AddOnCondition.RegistrationApplied)?.lastTransitionTime
    if (registered === undefined) return 0
    const now = this.#context.hubTime.at(this.#reconcile.clock.now()).getTime()
    return Date.parse(registered) + SUBJECT_PERIOD - now
  }

  async #keepToken(addon: ManagedClusterAddOn, credential: Credential): Promise<Requeue | undefined> {
    const account = serviceAccountUid(addon)
    if (account === 'waiting') return undefined
    if (account === 'missing')
      return this.#refuse(credential, 'the message of the condition TokenInfrastructureReady has no UID')
    const report = async (state: CredentialReport) => this.#report(credential, state)
    return keepToken(tokenCredential(this.#context, credential, account.uid, report), this.#reconcile)
  }

  #ownSecretProblem({ secret, location }: Credential): string | undefined {
    const { ownSecrets, managed, hosting } = this.#context
    const isElsewhere = location.isHosted && managed !== hosting
    if (isElsewhere || secret.namespace !== ownSecrets.namespace || !ownSecrets.names.includes(secret.name))
      return undefined
    return `Secret "${secret.namespace}/${secret.name}" is one of the cluster's own agent: rename the add-on or use another namespace`
  }

  #refuse(credential: Credential, message: string): undefined {
    this.#reconcile.log.warn('the credentials of the add-on cannot be kept', { problem: message })
    this.#report(credential, { state: 'failed', problem: 'not-created', message })
    return undefined
  }

  #report({ identity: { type } }: Credential, report: CredentialReport): void {
    this.#reports.push({ type, report })
  }
}
