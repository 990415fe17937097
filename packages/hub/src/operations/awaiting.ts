import type { ApiObject, Kind, ObjectRef } from '@orrery/kinds'
import { escapeFieldValue } from '@orrery/kinds/values'
import { Informers, type KubeClient } from '@orrery/kube'

/** Looks at what informers know. Returns the result, or undefined while there is none. */
export type Look<T> = () => Promise<T | undefined> | T | undefined

/**
 * Looks again and again, whenever something of interest has changed, until there is something to return. Rejects when
 * the signal is aborted.
 */
export async function awaiting<T>(
  client: KubeClient,
  watch: (informers: Informers, onChange: () => void) => Look<T>,
  signal: AbortSignal,
): Promise<T> {
  const informers = new Informers(client)
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  ended.catch(() => undefined)
  try {
    let ring: () => void = () => undefined
    let isChanged = false
    const look = watch(informers, () => {
      isChanged = true
      ring()
    })
    await Promise.race([informers.whenSynced(signal), ended])
    for (;;) {
      signal.throwIfAborted()
      isChanged = false
      const found = await look()
      if (found !== undefined) return found
      const changed = new Promise<void>((resolve) => {
        ring = resolve
      })
      if (!isChanged) await Promise.race([changed, ended])
    }
  } finally {
    await informers.close()
  }
}

/** Watches one object. Returns the way to look at it; undefined when it is not there. */
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
