import type { KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** Shorter values are not secret, and would match in any text. */
const MIN_SECRET = 3

/** Removes the values of a Secret from a message, in case a server repeats them: encoded, plain or quoted. */
export function withoutSecrets(message: string, { apiVersion, kind, data, stringData }: KubeObject): string {
  if (apiVersion !== 'v1' || kind !== 'Secret') return message
  const encoded = textsOf(data)
  const plain = [...textsOf(stringData), ...encoded.map((text) => Buffer.from(text, 'base64').toString('utf8'))]
  const quoted = plain.map((text) => JSON.stringify(text).slice(1, -1))
  // Otherwise a value that is a prefix of another would leave the rest of the other.
  const longestFirst = [...new Set([...encoded, ...plain, ...quoted])].sort((a, b) => b.length - a.length)
  let text = message
  for (const value of longestFirst) if (value.length >= MIN_SECRET) text = text.replaceAll(value, '***')
  return text
}

function textsOf(values: unknown): string[] {
  return isObject(values) ? Object.values(values).filter((value) => typeof value === 'string') : []
}
