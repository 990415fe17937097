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
  /** The name of this cluster. */
  readonly cluster: string
  /** Its private keys: the published one, and former ones while values may be sealed with them. */
  readonly privateKeys: readonly string[]
}

/**
 * Seals the values of a Secret: only one cluster can reveal them, and only in a Secret of the same namespace and
 * name, under the same key. The result is still a valid Secret. Sealed values and other kinds stay as they are.
 * Sealing twice gives two different results, so that equal values cannot be recognized.
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

/** Reveals the values of a Secret. A manifest without sealed values stays as it is. */
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
  throw new SealError(`${field} must be a map of strings`)
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function decoded(base64: string): Buffer {
  // Line breaks may be anywhere. In the pattern they would cause quadratic time.
  const text = base64.replaceAll(/[\r\n]/g, '')
  if (BASE64.test(text)) return Buffer.from(text, 'base64')
  throw new SealError('it is not base64')
}
