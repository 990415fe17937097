import { WEBHOOK_PORT } from '@orrery/api'
import type { WebhookClientConfig } from '@orrery/kinds'

/** How the API server reaches the webhooks. */
export type WebhookTarget =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, for API servers outside of the cluster. */
  | { readonly url: string }

/** The client config for a path of the webhooks. `ca`: the authority of the serving certificate, in PEM. */
export function clientConfigOf(target: WebhookTarget, path: string, ca: string): WebhookClientConfig {
  const caBundle = Buffer.from(ca).toString('base64')
  if ('url' in target) return { url: new URL(path, target.url).href, caBundle }
  const { namespace, name, port = WEBHOOK_PORT } = target.service
  return { service: { namespace, name, port, path }, caBundle }
}

/** The host names of the webhooks, for their certificate. */
export function namesOf(target: WebhookTarget): readonly [string, ...string[]] {
  if ('url' in target) return [new URL(target.url).hostname.replace(/^\[|\]$/g, '')]
  const { namespace, name } = target.service
  const inCluster = `${name}.${namespace}.svc`
  return [inCluster, `${inCluster}.cluster.local`]
}

/** The address of the webhooks, for messages. */
export function placeOf(target: WebhookTarget): string {
  if ('url' in target) return new URL(target.url).origin
  const { namespace, name, port = WEBHOOK_PORT } = target.service
  return `Service ${namespace}/${name}:${port}`
}
