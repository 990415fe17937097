import { Secret } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type KubeClient, retryOnConflict } from '@orrery/kube'

/** Which Secret is meant. */
export interface SecretRef {
  readonly namespace: string
  readonly name: string
}

/** What a Secret holds under a key; undefined when that is nothing. */
export function secretText(secret: Secret | undefined, key: string): string | undefined {
  const data = secret?.data
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined
  return value === undefined || value === '' ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

/** Makes a Secret hold these values, and have these annotations. Others stay; nothing is written when nothing changes. */
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
    // Somebody was quicker: what they wrote is looked at next.
    if (isAlreadyExists(error)) return client.get(Secret, { namespace, name }, call)
    throw error
  }
}
