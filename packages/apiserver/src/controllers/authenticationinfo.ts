import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { CONFIG_MAPS } from './resources.js'

const NAMESPACE = 'kube-system'
const NAME = 'extension-apiserver-authentication'
const KEY = 'client-ca-file'

/** Publishes what clients of this server are recognised by, for servers that stand behind it. */
export function authenticationInfo(context: ControllerContext): Controller {
  const { client, authority } = context
  return reconciler(context, {
    name: 'authentication-info',
    wakes: { configmaps: ({ entry }) => (entry.name === NAME && entry.namespace === NAMESPACE ? NAME : undefined) },
    first: () => [NAME],
    async reconcile() {
      const metadata = { name: NAME, namespace: NAMESPACE }
      const data = { [KEY]: authority.certificatePem }
      await createIfMissing(client, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
      await client.change(CONFIG_MAPS, NAMESPACE, NAME, (live) => {
        const held = (live.data ?? {}) as Record<string, string>
        return held[KEY] === authority.certificatePem ? live : { ...live, data: { ...held, ...data } }
      })
    },
  })
}
