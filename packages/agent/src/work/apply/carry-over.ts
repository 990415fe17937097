import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { getOwn, isObject, setOwn } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'

/** The content of an object: all but its type, metadata and status. */
export type Content = Record<string, unknown>

/** The part of an object that an update by manifest may change. */
export function contentOf({ apiVersion: _, kind: __, metadata: ___, status: ____, ...content }: Content): Content {
  return content
}

/**
 * The content that an object has to have, with what other controllers fill in by design. If a manifest omits such
 * fields, they stay; otherwise the agent and the controller would overwrite each other forever.
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

/** Servers convert `stringData` to `data` and set the type; controllers set tokens. */
function secretContent({ stringData, ...wanted }: Content, known: Content): Content {
  const data: Record<string, unknown> = isObject(wanted.data) ? { ...wanted.data } : {}
  if (isObject(stringData)) {
    for (const [key, text] of Object.entries(stringData)) data[key] = Buffer.from(String(text)).toString('base64')
  }
  const type = wanted.type ?? 'Opaque'
  const isToken = type === 'kubernetes.io/service-account-token'
  return { ...wanted, type, data: isToken && isObject(known.data) ? { ...known.data, ...data } : data }
}

/** Keys that OpenShift operators inject into ConfigMaps that request them. */
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

/** The value with the field of `known`, unless it sets the field itself. All parents but the first must exist. */
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
 * The current content with the manifest's merged into it: objects by field, and lists of the same length item by
 * item. It keeps fields that servers set, because some cannot be removed. With `keepTails`, lists may have gained
 * items.
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
