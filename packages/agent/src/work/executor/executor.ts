import type { ManifestWorkExecutor } from '@orrery/api'
import { ClusterRole, type KubeObject, ServiceAccount } from '@orrery/kinds'
import { isAlreadyExists, isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { PlannedManifest } from '../plan/manifest.js'
import { type Account, accountOf, bindingFor, isAllowed } from './account.js'
import { impersonating } from './impersonation.js'
import { NotAllowedError } from './not-allowed.js'

/** How long an account that was allowed something is not asked about again. */
const TRUST_MILLISECONDS = 60_000
const RBAC_RESOURCES: ReadonlySet<string> = new Set(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'])

/** Asks the cluster whether the accounts that works name may do what the works ask for. */
export class ExecutorCheck {
  readonly #client: KubeClient
  readonly #clock: Clock
  /** What was allowed, and until when that is believed. */
  readonly #allowed = new Map<string, number>()

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /**
   * Throws `NotAllowedError` when the account that a work names may not apply a manifest. What was allowed a moment ago is
   * believed only while the manifest `isSettled`: nothing is written then, and no server can answer with what is there.
   */
  async check(
    executor: ManifestWorkExecutor | undefined,
    manifest: PlannedManifest,
    desired: KubeObject,
    isSettled: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    if (executor === undefined) return
    const account = accountOf(executor)
    const { ref, isOwned } = manifest
    const key = JSON.stringify([account.user, ref.group, ref.resource, ref.namespace, ref.name, isOwned])
    const now = this.#clock.elapsed()
    if (!isSettled || (this.#allowed.get(key) ?? 0) <= now) {
      const verbs = ['create', 'update', 'patch', 'get', ...(isOwned ? ['delete'] : [])]
      await this.#checkVerbs(account, manifest, verbs, signal)
      this.#forgetBefore(now)
      // To the end, where what is believed the longest is.
      this.#allowed.delete(key)
      this.#allowed.set(key, now + TRUST_MILLISECONDS)
    }
    // What a role allows may change without the verbs: that is asked for every time.
    if (grantsPermissions(manifest)) {
      await this.#tryAs(account.user, manifest, (client) =>
        client.create(manifest.kind, desired, { dryRun: true, signal }),
      )
    }
  }

  /**
   * Throws `NotAllowedError` when the account that a work names may not write what the agent is about to. The manifest alone
   * does not tell: fields that a strategy leaves alone are those of the object that is there, and with them a binding
   * may be one to another role. `write` makes the same request as the agent will, by another client and as a dry run.
   */
  async checkWrite(
    executor: ManifestWorkExecutor | undefined,
    manifest: PlannedManifest,
    write: (client: KubeClient) => Promise<unknown>,
  ): Promise<void> {
    if (executor === undefined || !grantsPermissions(manifest)) return
    await this.#tryAs(accountOf(executor).user, manifest, write)
  }

  /** Throws `NotAllowedError` when the account may not delete the object, which a manifest that is left behind does not need. */
  async checkDelete(
    executor: ManifestWorkExecutor | undefined,
    manifest: PlannedManifest,
    signal: AbortSignal,
  ): Promise<void> {
    if (executor !== undefined) await this.#checkVerbs(accountOf(executor), manifest, ['delete'], signal)
  }

  async #checkVerbs(
    account: Account,
    { ref }: PlannedManifest,
    verbs: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { group, version, resource, namespace: target, name } = ref
    const { user } = account
    const answers = await Promise.all(
      verbs.map((verb) => {
        const access = { group, version, resource, namespace: target, name, verb }
        return isAllowed(this.#client, account, access, signal)
      }),
    )
    const denied = verbs.filter((_, index) => answers[index] !== true)
    if (denied.length === 0) return
    const isThere = await this.#isThere(account, signal)
    throw new NotAllowedError(
      `not allowed to apply the resource ${group} ${resource}, ${target} ${name}, will try again in 1m0s: ` +
        `${isThere ? '' : `there is no service account ${account.namespace}/${account.name}: make it, and `}` +
        `let ${user} ${denied.join(', ')} ${resource} by ${bindingFor(ref)}`,
    )
  }

  /** Only to say so: what an account may do does not depend on whether it is there. */
  async #isThere({ namespace, name }: Account, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#client.find(ServiceAccount, { namespace, name }, { signal })) !== undefined
    } catch (error) {
      if (isForbidden(error)) return true
      throw error
    }
  }

  /** A review does not tell whether somebody gives himself more than he has: trying to does. */
  async #tryAs(user: string, { ref }: PlannedManifest, write: (client: KubeClient) => Promise<unknown>): Promise<void> {
    try {
      await write(impersonating(this.#client, user))
    } catch (error) {
      // Servers ask about escalation before they look whether the object is there.
      if (isAlreadyExists(error)) return
      if (!isForbidden(error) || error.message.includes('cannot impersonate')) throw error
      throw new NotAllowedError(
        `not allowed to apply the resource ${ref.group} ${ref.resource}, ${ref.namespace} ${ref.name}, error: ` +
          `permission escalation, will try again in 1m0s: ${user} can only give away what it may do itself`,
      )
    }
  }

  #forgetBefore(now: number): void {
    for (const [key, until] of this.#allowed) {
      if (until > now) break
      this.#allowed.delete(key)
    }
  }
}

function grantsPermissions({ ref }: PlannedManifest): boolean {
  return ref.group === ClusterRole.group && RBAC_RESOURCES.has(ref.resource)
}
