import type { ManifestWork } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { isForbidden, keyOf } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { inParallel } from '../../parallel.js'
import type { OwnSecrets } from '../own-secrets.js'
import { type Access, type Account, accountOf, bindingFor, isAllowed } from './account.js'
import { NotAllowedError } from './not-allowed.js'

/** How long an answer is cached while the object stays the same. */
const TRUST_MILLISECONDS = 60_000

/** An object on the cluster that a work reports on. */
export interface ReadTarget extends Access {
  /** The state of the object. The answer is cached only for the same state; undefined disables the cache. */
  readonly state: string | undefined
}

/** Whether a work may report on an object: `refusal` is the reason if it may not. */
export interface ReadAnswer {
  readonly refusal: string | undefined
}

/** What a work may report on, by the latest access reviews. */
export interface Reading {
  /** Undefined if this was not reviewed: then nothing of it may be reported yet. */
  answer(access: Access): ReadAnswer | undefined
  /** Whether permissions are missing: the agent does not notice when they are granted. */
  readonly isRefused: boolean
}

interface Known {
  /** The executor, the state and the rules of the answer. */
  readonly what: string
  readonly until: number
}

const ALLOWED: ReadAnswer = { refusal: undefined }

/**
 * Decides what of the cluster a work may report to the hub. The agent's own Secrets are never reported. A work with
 * an executor reports only what the executor may read: each new state needs an access review first.
 */
export class ReadCheck {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #own: OwnSecrets
  /** Granted permissions by work. Denials are not cached. */
  readonly #allowed = new Map<string, Map<string, Known>>()

  constructor(client: KubeClient, clock: Clock, own: OwnSecrets) {
    this.#client = client
    this.#clock = clock
    this.#own = own
  }

  async of(work: ManifestWork, targets: readonly ReadTarget[], signal: AbortSignal): Promise<Reading> {
    const { executor, manifestConfigs } = work.spec ?? {}
    if (executor === undefined) {
      this.forget(work.metadata)
      return { answer: (access) => this.#ownAnswer(access), isRefused: false }
    }
    const account = accountIn(executor)
    if (typeof account === 'string') {
      return { answer: (access) => this.#ownAnswer(access, { refusal: account }), isRefused: false }
    }
    const rules = JSON.stringify([account.user, work.metadata.uid, manifestConfigs])
    const before = this.#allowed.get(keyOf(work.metadata))
    const allowed = new Map<string, Known>()
    const answers = new Map<string, ReadAnswer>()
    const now = this.#clock.elapsed()
    let isRefused = false
    await inParallel(targets, async (target) => {
      const key = accessKey(target)
      const known = before?.get(key)
      const what = `${target.state ?? ''} ${rules}`
      if (target.state !== undefined && known?.what === what && known.until > now) {
        allowed.set(key, known)
        answers.set(key, this.#ownAnswer(target))
        return
      }
      const refusal = await this.#ask(account, target, signal)
      answers.set(key, this.#ownAnswer(target, { refusal }))
      if (refusal === undefined) allowed.set(key, { what, until: now + TRUST_MILLISECONDS })
      else isRefused = true
    })
    if (allowed.size > 0) this.#allowed.set(keyOf(work.metadata), allowed)
    else this.forget(work.metadata)
    return { answer: (access) => answers.get(accessKey(access)), isRefused }
  }

  forget(work: ObjectRef): void {
    this.#allowed.delete(keyOf(work))
  }

  #ownAnswer(access: Access, otherwise = ALLOWED): ReadAnswer {
    const refusal = this.#own.refusal(access)
    return refusal === undefined ? otherwise : { refusal }
  }

  async #ask(account: Account, target: ReadTarget, signal: AbortSignal): Promise<string | undefined> {
    const { state: _, ...access } = target
    const { verb, group, resource, namespace, name } = access
    const about = `not allowed to read the resource ${group} ${resource}, ${namespace} ${name}, will try again in 1m0s: `
    try {
      if (await isAllowed(this.#client, account, access, signal)) return undefined
    } catch (error) {
      // If the agent may not create access reviews, the answer is no, and the rest is still reported.
      if (!isForbidden(error)) throw error
      return `${about}${error.message}`
    }
    return `${about}let ${account.user} ${verb} ${resource} by ${bindingFor(access)}`
  }
}

function accountIn(executor: NonNullable<NonNullable<ManifestWork['spec']>['executor']>): Account | string {
  try {
    return accountOf(executor)
  } catch (error) {
    if (error instanceof NotAllowedError) return error.message
    throw error
  }
}

function accessKey({ verb, group, resource, namespace, name }: Access): string {
  return `${verb} ${group}/${resource}/${namespace}/${name}`
}
