import type { KubeObject } from '@orrery/kinds'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { isActiveNamespace } from './namespaced.js'
import { CONFIG_MAPS } from './resources.js'

const NAME = 'kube-root-ca.crt'
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Publishes the CA certificate of the server in every namespace (`kube-root-ca.crt`), and reverts changes. */
export function rootCertificates(context: ControllerContext): Controller {
  const { client, store, authority } = context
  const data = { 'ca.crt': authority.certificatePem }
  return reconciler(context, {
    name: 'root-certificates',
    wakes: {
      namespaces: ({ type, entry }) => (type === 'DELETED' ? undefined : entry.name),
      configmaps: ({ entry }) => (entry.name === NAME ? entry.namespace : undefined),
    },
    first: () => store.page({ bucket: 'namespaces', namespace: '' }).entries.map(({ name }) => name),
    async reconcile(namespace) {
      if (!isActiveNamespace(context, namespace)) return
      const annotations = { 'kubernetes.io/description': DESCRIPTION }
      const metadata = { name: NAME, namespace, annotations }
      await createIfMissing(client, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...data } })
      if (holds(client.get(CONFIG_MAPS, namespace, NAME), data)) return
      await client.change(CONFIG_MAPS, namespace, NAME, (live) =>
        holds(live, data) ? live : { ...live, data: { ...data }, metadata: { ...live.metadata, annotations } },
      )
    },
  })
}

/** Returns whether a ConfigMap has exactly this data. A deleted one needs no revert: it is created again. */
function holds(configMap: KubeObject | undefined, data: Readonly<Record<string, string>>): boolean {
  if (configMap === undefined) return true
  const held = (configMap.data ?? {}) as Record<string, string>
  const keys = Object.keys(data)
  return Object.keys(held).length === keys.length && keys.every((key) => held[key] === data[key])
}
