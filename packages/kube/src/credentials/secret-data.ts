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

/** Sets these values and annotations of a Secret and keeps all others. Writes nothing when nothing changes. */
export function writeSecret(
  client: KubeClient,
  ref: SecretRef,
  values: Readonly<Record<string, string>>,
  signal?: AbortSignal,
  annotations: Readonly<Record<string, string>> = {},
): Promise<Secret> {
  const call = signal === undefined ? {} : { signal }
  const wanted = Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  return retryOnConflict(async () => {
    const current = (await client.find(Secret, ref, call)) ?? (await createSecret(client, ref, wanted, call))
    const hasAll = (known: Record<string, string> = {}, values: Readonly<Record<string, string>>) =>
      Object.entries(values).every(([key, value]) => known[key] === value)
    if (hasAll(current.data, wanted) && hasAll(current.metadata.annotations, annotations)) return current
    const metadata = { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } }
    return client.update(Secret, { ...current, metadata, data: { ...current.data, ...wanted } }, call)
  })
}

async function createSecret(
  client: KubeClient,
  { namespace, name }: SecretRef,
  data: Record<string, string>,
  call: { signal?: AbortSignal },
): Promise<Secret> {
  try {
    return await client.create(Secret, { metadata: { namespace, name }, data }, call)
  } catch (error) {
    // Another client created it first.
    if (isAlreadyExists(error)) return client.get(Secret, { namespace, name }, call)
    throw error
  }
}
