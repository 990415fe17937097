import type { Draft } from '@orrery/kinds'
import { Secret } from '@orrery/kinds/core'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { retryOnConflict } from '../write/retry.js'

/** The namespace and name of a Secret. */
export interface SecretRef {
  readonly namespace: string
  readonly name: string
}

/** The text under a key of a Secret; undefined when it is absent or empty. */
export function secretText(secret: Secret | undefined, key: string): string | undefined {
  const data = secret?.data
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined
  return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

export interface SecretWriteOptions {
  readonly signal?: AbortSignal | undefined
  /** Annotations to set. Default none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /** Labels to set. Default none. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Keys to remove. Default none. */
  readonly obsoleteKeys?: readonly string[] | undefined
}

/** Sets these values, annotations and labels of a Secret and keeps all others. Writes nothing when nothing changes. */
export function writeSecret(
  client: KubeClient,
  ref: SecretRef,
  values: Readonly<Record<string, string>>,
  { signal, annotations = {}, labels = {}, obsoleteKeys = [] }: SecretWriteOptions = {},
): Promise<Secret> {
  const call = signal === undefined ? {} : { signal }
  const wanted = Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  const draft = { metadata: { ...ref, labels: { ...labels }, annotations: { ...annotations } }, data: wanted }
  return retryOnConflict(async () => {
    const current = (await client.find(Secret, ref, call)) ?? (await createSecret(client, draft, call))
    const { metadata } = current
    const data = Object.fromEntries(Object.entries(current.data ?? {}).filter(([key]) => !obsoleteKeys.includes(key)))
    const isComplete =
      Object.keys(data).length === Object.keys(current.data ?? {}).length &&
      hasAll(data, wanted) &&
      hasAll(metadata.annotations, annotations) &&
      hasAll(metadata.labels, labels)
    if (isComplete) return current
    const merged = {
      ...metadata,
      annotations: { ...metadata.annotations, ...annotations },
      labels: { ...metadata.labels, ...labels },
    }
    return client.update(Secret, { ...current, metadata: merged, data: { ...data, ...wanted } }, call)
  })
}

function hasAll(known: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => known[key] === value)
}

type SecretDraft = Draft<Secret> & { readonly metadata: SecretRef }

async function createSecret(client: KubeClient, draft: SecretDraft, call: { signal?: AbortSignal }): Promise<Secret> {
  try {
    return await client.create(Secret, draft, call)
  } catch (error) {
    // Another client created it first.
    if (isAlreadyExists(error)) return client.get(Secret, draft.metadata, call)
    throw error
  }
}
