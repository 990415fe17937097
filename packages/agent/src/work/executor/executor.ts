import type { ManifestWorkExecutor } from '@orrery/api'
import { ClusterRole, type KubeObject, ServiceAccount } from '@orrery/kinds'
import { isAlreadyExists, isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { PlannedManifest } from '../plan/manifest.js'
import { type Account, accountOf, bindingFor, isAllowed } from './account.js'
import { impersonating } from './impersonation.js'
import { NotAllowedError } from './not-allowed.js'

/** How long a granted permission is cached. */
const TRUST_MILLISECONDS = 60_000
const RBAC_RESOURCES: ReadonlySet<string> = new Set(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'])

/** Checks whether the executors of works have the permissions that the works need. */
export class ExecutorCheck {
  readonly #client: KubeClient
  readonly #clock: Clock
  /** Granted permissions, and until when they are cached. */
  readonly #allowed = new Map<string, number>()

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /**
   * Throws `NotAllowedError` if the executor of a work may not apply a manifest. The cache is used only while the
   * manifest `isSettled`: nothing is written then, and no response can reveal the object.
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
      // Moves it to the end, so that the map is ordered by expiry.
      this.#allowed.delete(key)
      this.#allowed.set(key, now + TRUST_MILLISECONDS)
    }
    // The rules of a role may change without the verbs: this is checked every time.
    if (grantsPermissions(manifest)) {
      await this.#tryAs(account.user, manifest, (client) =>
        client.create(manifest.kind, desired, { dryRun: true, signal }),
      )
    }
  }

  /**
   * Throws `NotAllowedError` if the executor of a work may not write what the agent is about to write. The manifest
   * alone is not enough: fields that a strategy ignores come from the current object, and could make a binding refer
   * to another role. `write` sends the same request as the agent will, with another client and as a dry run.
   */
  async checkWrite(
    executor: ManifestWorkExecutor | undefined,
    manifest: PlannedManifest,
    write: (client: KubeClient) => Promise<unknown>,
  ): Promise<void> {
    if (executor === undefined || !grantsPermissions(manifest)) return
    await this.#tryAs(accountOf(executor).user, manifest, write)
  }

  /**
   * Throws `NotAllowedError` if the executor may not delete the object. Only a manifest that recreates its object
   * needs this.
   */
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
        `${isThere ? '' : `service account ${account.namespace}/${account.name} does not exist: create it, and `}` +
        `let ${user} ${denied.join(', ')} ${resource} by ${bindingFor(ref)}`,
    )
  }

  /** Only for the message: permissions do not depend on whether the account exists. */
  async #isThere({ namespace, name }: Account, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#client.find(ServiceAccount, { namespace, name }, { signal })) !== undefined
    } catch (error) {
      if (isForbidden(error)) return true
      throw error
    }
  }

  /** An access review does not detect escalation of permissions: a dry run does. */
  async #tryAs(user: string, { ref }: PlannedManifest, write: (client: KubeClient) => Promise<unknown>): Promise<void> {
    try {
      await write(impersonating(this.#client, user))
    } catch (error) {
      // Servers check for escalation before they check whether the object exists.
      if (isAlreadyExists(error)) return
      if (!isForbidden(error) || error.message.includes('cannot impersonate')) throw error
      throw new NotAllowedError(
        `not allowed to apply the resource ${ref.group} ${ref.resource}, ${ref.namespace} ${ref.name}, error: ` +
          `permission escalation, will try again in 1m0s: ${user} can only grant permissions that it has`,
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
