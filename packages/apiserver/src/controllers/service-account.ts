import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { isActiveNamespace } from './namespaced.js'
import { SERVICE_ACCOUNTS } from './resources.js'

const NAME = 'default'

/** Creates the default service account of every namespace. */
export function defaultServiceAccounts(context: ControllerContext): Controller {
  const { client, store } = context
  return reconciler(context, {
    name: 'default-service-accounts',
    wakes: {
      namespaces: ({ type, entry }) => (type === 'DELETED' ? undefined : entry.name),
      serviceaccounts: ({ type, entry }) => (type === 'DELETED' && entry.name === NAME ? entry.namespace : undefined),
    },
    first: () => store.page({ bucket: 'namespaces', namespace: '' }).entries.map(({ name }) => name),
    async reconcile(namespace) {
      if (!isActiveNamespace(context, namespace)) return
      const metadata = { name: NAME, namespace }
      await createIfMissing(client, SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
    },
  })
}
