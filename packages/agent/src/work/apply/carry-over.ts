import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { getOwn, isObject, setOwn } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'

/** What an object holds besides saying which one it is and how it fares. */
export type Content = Record<string, unknown>

/** What of an object a manifest may change by updating it. */
export function contentOf({ apiVersion: _, kind: __, metadata: ___, status: ____, ...content }: Content): Content {
  return content
}

/**
 * The content that an object is to have, with what others of the cluster fill in by design: left out of the manifest, it
 * is not to be taken away, or the two would undo each other's work for ever.
 */
export function contentToHave(desired: KubeObject, current: DynamicObject): Content {
  const wanted = contentOf(desired)
  const known = contentOf(current)
  switch (`${desired.apiVersion}/${desired.kind}`) {
    case 'v1/Namespace':
    case 'v1/ServiceAccount':
      return { ...known, ...wanted }
    case 'v1/Secret':
      return secretContent(wanted, known)
    case 'v1/ConfigMap':
      return configMapContent(wanted, known, desired)
    case 'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration':
    case 'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration':
      return webhooksContent(wanted, known)
    case 'apiextensions.k8s.io/v1/CustomResourceDefinition':
      return withKept(wanted, known, ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'])
    case 'apiregistration.k8s.io/v1/APIService':
      return withKept(wanted, known, ['spec', 'caBundle'])
    default:
      return wanted
  }
}

/** Servers turn `stringData` into `data`, and fill in the type; controllers fill in tokens. */
function secretContent({ stringData, ...wanted }: Content, known: Content): Content {
  const data: Record<string, unknown> = isObject(wanted.data) ? { ...wanted.data } : {}
  if (isObject(stringData)) {
    for (const [key, text] of Object.entries(stringData)) data[key] = Buffer.from(String(text)).toString('base64')
  }
  const type = wanted.type ?? 'Opaque'
  const isToken = type === 'kubernetes.io/service-account-token'
  return { ...wanted, type, data: isToken && isObject(known.data) ? { ...known.data, ...data } : data }
}

/** Keys that operators of OpenShift put into ConfigMaps that ask for them. */
const INJECTED_KEYS = [
  { field: 'labels', mark: 'config.openshift.io/inject-trusted-cabundle', key: 'ca-bundle.crt' },
  { field: 'annotations', mark: 'service.beta.openshift.io/inject-cabundle', key: 'service-ca.crt' },
] as const

function configMapContent(wanted: Content, known: Content, { metadata }: KubeObject): Content {
  let content = wanted
  for (const { field, mark, key } of INJECTED_KEYS) {
    if (metadata[field]?.[mark] === 'true') content = withKept(content, known, ['data', key])
  }
  return content
}

function webhooksContent(wanted: Content, known: Content): Content {
  const { webhooks } = wanted
  if (!Array.isArray(webhooks) || !Array.isArray(known.webhooks)) return wanted
  const byName = new Map(known.webhooks.filter(isObject).map((webhook) => [webhook.name, webhook]))
  const merged = webhooks.map((webhook: unknown) => {
    const before = isObject(webhook) ? byName.get(webhook.name ?? null) : undefined
    return before === undefined ? webhook : withKept(webhook as Content, before, ['clientConfig', 'caBundle'])
  })
  return { ...wanted, webhooks: merged }
}

/** The value with the field that `known` has, unless it says something else. Parents must be there, but for the first. */
function withKept(wanted: Content, known: Content, path: readonly string[]): Content {
  const [field = '', ...rest] = path
  const kept = known[field]
  if (kept === undefined) return wanted
  if (rest.length === 0) return wanted[field] === undefined ? { ...wanted, [field]: kept } : wanted
  const inner = wanted[field]
  if (!isObject(kept) || (inner !== undefined && !isObject(inner))) return wanted
  const merged = withKept(inner ?? {}, kept, rest)
  return merged === inner || Object.keys(merged).length === 0 ? wanted : { ...wanted, [field]: merged }
}

/**
 * What is there with a manifest's content put into it: objects are merged, and lists of the same length item by item. It
 * keeps what servers filled in, which some refuse to have taken away. With `keepTails`, lists may have gained items.
 */
export function mergedContent(current: JsonValue | undefined, wanted: JsonValue, keepTails: boolean): JsonValue {
  if (isObject(current) && isObject(wanted)) {
    const merged: JsonObject = { ...current }
    for (const [key, value] of Object.entries(wanted))
      setOwn(merged, key, mergedContent(getOwn(current, key), value, keepTails))
    return merged
  }
  if (!Array.isArray(current) || !Array.isArray(wanted)) return wanted
  const fits = keepTails ? current.length >= wanted.length : current.length === wanted.length
  if (!fits) return wanted
  return current.map((item, index) => {
    const value = wanted[index]
    return value === undefined ? item : mergedContent(item, value, keepTails)
  })
}
