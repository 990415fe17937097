import type { Draft } from '@orrery/kinds'
import { CustomResourceDefinition } from '@orrery/kinds/apiextensions'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'
import { Informers } from '../informer/informers.js'
import { type Logger, silentLogger } from '../log.js'
import { ensure } from './ensure.js'

type Definition = Draft<CustomResourceDefinition>

/** Options of `ensureCrds`. */
export interface EnsureCrdsOptions extends CallOptions {
  /** The field manager of the CRDs. */
  readonly fieldManager: string
  /** Adapts a CRD to the one on the server, for example to keep its conversion webhook. Default no change. */
  readonly adapt?: (wanted: Definition, current: CustomResourceDefinition | undefined) => Definition
  /** How long to wait until the server serves all of them, in milliseconds. Default one minute. */
  readonly timeoutMilliseconds?: number
  /** Logs a watch that fails meanwhile. Default none. */
  readonly log?: Logger
}

const DEFAULT_TIMEOUT = 60_000

/** Ensures CRDs. Resolves when the server serves all of them, and rejects with those that it does not serve in time. */
export async function ensureCrds(
  client: KubeClient,
  crds: readonly Definition[],
  options: EnsureCrdsOptions,
): Promise<void> {
  try {
    await ensureServed(client, crds, options)
  } catch (error) {
    throw options.signal?.aborted === true ? options.signal.reason : error
  }
}

async function ensureServed(
  client: KubeClient,
  crds: readonly Definition[],
  options: EnsureCrdsOptions,
): Promise<void> {
  const { fieldManager, adapt = (same) => same, signal } = options
  const call = signal === undefined ? {} : { signal }
  const ensured = await Promise.all(
    crds.map(async (crd) => {
      const { name = '' } = crd.metadata
      const current = await client.find(CustomResourceDefinition, { name }, call)
      return ensure(client, CustomResourceDefinition, adapt(crd, current), current, { ...call, fieldManager })
    }),
  )
  const pending = new Map(ensured.filter((crd) => !isServed(crd)).map((crd) => [crd.metadata.name, crd]))
  if (pending.size > 0) await whenServed(client, pending, options)
}

async function whenServed(
  client: KubeClient,
  pending: Map<string, CustomResourceDefinition>,
  { timeoutMilliseconds = DEFAULT_TIMEOUT, log = silentLogger, signal }: EnsureCrdsOptions,
): Promise<void> {
  const informers = new Informers(client, { log })
  let giveUp: () => void = () => undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      giveUp = () => reject(signal?.reason)
      timer = setTimeout(() => reject(new Error(describePending(pending, timeoutMilliseconds))), timeoutMilliseconds)
      signal?.addEventListener('abort', giveUp, { once: true })
      if (signal?.aborted === true) giveUp()
      informers.of(CustomResourceDefinition).subscribe(({ after }) => {
        if (after === undefined || !pending.has(after.metadata.name)) return
        if (isServed(after)) pending.delete(after.metadata.name)
        else pending.set(after.metadata.name, after)
        if (pending.size === 0) resolve()
      })
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    await informers.close()
  }
}

function isServed({ status }: CustomResourceDefinition): boolean {
  return isConditionTrue(status?.conditions, 'Established')
}

function describePending(pending: ReadonlyMap<string, CustomResourceDefinition>, milliseconds: number): string {
  const each = [...pending].map(([name, { status }]) => {
    const names = findCondition(status?.conditions, 'NamesAccepted')
    return names?.status === 'False' ? `${name} (${names.message})` : name
  })
  return `the API server does not serve ${each.join(', ')} after ${milliseconds / 1_000} s: see the conditions of the CRDs`
}
