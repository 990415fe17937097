import type { JsonObject } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'
import { parsePrivateKey, parsePublicKey } from './keys.js'
import { SealError } from './seal-error.js'
import { isSealedValue, newSender, type Place, revealValue, sealValue } from './value.js'

export interface SealOptions {
  /** The cluster that the manifest is for. */
  readonly cluster: string
  /** Its public key. */
  readonly publicKey: string
}

export interface RevealOptions {
  /** The cluster that this is. */
  readonly cluster: string
  /** Its private keys: the one it publishes, and former ones for as long as something may be sealed to them. */
  readonly privateKeys: readonly string[]
}

/**
 * A Secret whose values only one cluster can read, and only in a Secret of the same namespace and name, under the same
 * key. It is still a valid Secret. Values that are sealed already are left alone, and so is what is no Secret. Sealing
 * twice gives two results: nobody can tell whether they are the same inside.
 */
export function sealManifest<T extends object>(manifest: T, { cluster, publicKey }: SealOptions): T {
  if (!isSecret(manifest)) return manifest
  const { stringData, ...rest } = manifest
  const values = { ...textsIn(manifest.data, 'data'), ...encoded(textsIn(stringData, 'stringData')) }
  if (Object.values(values).every(isSealedValue)) return manifest as T
  const recipient = parsePublicKey(publicKey)
  const sender = newSender()
  const data = mapValues(values, placeOf(manifest, cluster), (value, place) =>
    isSealedValue(value) ? value : sealValue(decoded(value), recipient, place, sender).toString('base64'),
  )
  return { ...rest, data } as unknown as T
}

/** The Secret with its values as they were before sealing. What has no sealed values is left as it is. */
export function revealManifest<T extends object>(manifest: T, { cluster, privateKeys }: RevealOptions): T {
  if (!isSealed(manifest)) return manifest
  const secret = manifest as unknown as JsonObject
  const recipients = privateKeys.map(parsePrivateKey)
  const data = mapValues(textsIn(secret.data, 'data'), placeOf(secret, cluster), (value, place) =>
    isSealedValue(value) ? revealValue(decoded(value), recipients, place).toString('base64') : value,
  )
  return { ...manifest, data }
}

/** Whether a manifest is a Secret with sealed values. */
export function isSealed(manifest: object): boolean {
  return isSecret(manifest) && isObject(manifest.data) && Object.values(manifest.data).some(isSealedText)
}

/** Whether a manifest is a Secret with values that are not sealed. */
export function hasPlainValues(manifest: object): boolean {
  if (!isSecret(manifest)) return false
  const { data, stringData } = manifest
  if (isObject(stringData) && Object.keys(stringData).length > 0) return true
  return isObject(data) && !Object.values(data).every(isSealedText)
}

function isSealedText(value: unknown): boolean {
  return typeof value === 'string' && isSealedValue(value)
}

function isSecret(manifest: object): manifest is JsonObject {
  const { apiVersion, kind } = manifest as JsonObject
  return apiVersion === 'v1' && kind === 'Secret'
}

function placeOf({ metadata }: JsonObject, cluster: string): (key: string) => Place {
  const { namespace = '', name = '' } = isObject(metadata) ? metadata : {}
  return (key) => ({ cluster, namespace: String(namespace), name: String(name), key })
}

function mapValues(
  values: Readonly<Record<string, string>>,
  placeFor: (key: string) => Place,
  map: (value: string, place: Place) => string,
): JsonObject {
  const result: JsonObject = {}
  for (const [key, value] of Object.entries(values))
    setOwn(
      result,
      key,
      named(key, () => map(value, placeFor(key))),
    )
  return result
}

function named<T>(key: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof SealError ? new SealError(`the value of ${JSON.stringify(key)}: ${error.message}`) : error
  }
}

function textsIn(value: unknown, field: string): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (isObject(value) && Object.values(value).every((text) => typeof text === 'string')) {
    return value as Record<string, string>
  }
  throw new SealError(`${field} is not made of texts`)
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function decoded(base64: string): Buffer {
  // Line breaks may be anywhere. In the pattern they would make time grow with the square of their number.
  const text = base64.replaceAll(/[\r\n]/g, '')
  if (BASE64.test(text)) return Buffer.from(text, 'base64')
  throw new SealError('it is not base64')
}
