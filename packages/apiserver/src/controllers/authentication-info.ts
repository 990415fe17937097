import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { CONFIG_MAPS } from './resources.js'

const NAMESPACE = 'kube-system'
const NAME = 'extension-apiserver-authentication'

/** Formats a list like kube-apiserver in the ConfigMap. */
const listed = (...values: string[]) => JSON.stringify(values)

/**
 * Publishes the ConfigMap `extension-apiserver-authentication` for aggregated API servers. They trust the headers of
 * clients with a certificate of the front proxy CA and one of these names. This server itself accepts no such headers
 * and signs no such certificates.
 */
export function authenticationInfo(context: ControllerContext): Controller {
  const { client, authority, frontProxyAuthority } = context
  const wanted: Readonly<Record<string, string>> = {
    'client-ca-file': authority.certificatePem,
    'requestheader-allowed-names': listed('front-proxy-client'),
    'requestheader-client-ca-file': frontProxyAuthority.certificatePem,
    'requestheader-extra-headers-prefix': listed('X-Remote-Extra-'),
    'requestheader-group-headers': listed('X-Remote-Group'),
    'requestheader-username-headers': listed('X-Remote-User'),
  }
  return reconciler(context, {
    name: 'authentication-info',
    wakes: { configmaps: ({ entry }) => (entry.name === NAME && entry.namespace === NAMESPACE ? NAME : undefined) },
    first: () => [NAME],
    async reconcile() {
      const metadata = { name: NAME, namespace: NAMESPACE }
      const data = { ...wanted }
      await createIfMissing(client, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
      await client.change(CONFIG_MAPS, NAMESPACE, NAME, (live) => {
        const held = (live.data ?? {}) as Record<string, string>
        const isRight = Object.entries(wanted).every(([key, value]) => held[key] === value)
        return isRight ? live : { ...live, data: { ...held, ...wanted } }
      })
    },
  })
}
