import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import { escapeFieldValue } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { silentLogger } from '../log.js'
import { unlessAborted } from '../signals.js'
import { Informers } from './informers.js'

/** Checks the objects of informers. Returns the result, or undefined while there is none. */
export type Check<T> = () => Promise<T | undefined> | T | undefined

/**
 * Checks whenever a watched object has changed, until there is a result. Rejects when the signal is aborted.
 */
export async function awaiting<T>(
  client: KubeClient,
  watch: (informers: Informers, onChange: () => void) => Check<T>,
  signal: AbortSignal,
): Promise<T> {
  // Commands for people wait here: their errors say what failed, and log lines on their terminal would not help.
  const informers = new Informers(client, { log: silentLogger })
  try {
    let notify: () => void = () => undefined
    let isChanged = false
    const check = watch(informers, () => {
      isChanged = true
      notify()
    })
    await unlessAborted(informers.whenSynced(signal), signal)
    for (;;) {
      signal.throwIfAborted()
      isChanged = false
      const found = await check()
      if (found !== undefined) return found
      const changed = new Promise<void>((resolve) => {
        notify = resolve
      })
      if (!isChanged) await unlessAborted(changed, signal)
    }
  } finally {
    await informers.close()
  }
}

/** Watches one object. Returns a function that returns it; undefined if it does not exist. */
export function watchOne<T extends ApiObject>(
  informers: Informers,
  kind: Kind<T, object>,
  { namespace, name }: ObjectRef,
  onChange: () => void,
): () => T | undefined {
  const objects = informers.of(kind, { namespace, fieldSelector: `metadata.name=${escapeFieldValue(name)}` })
  objects.subscribe(onChange)
  return () => objects.get({ namespace, name })
}
