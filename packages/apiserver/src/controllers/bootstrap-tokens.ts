import { keyOf, refOf } from '@orrery/kinds/values'
import { requeueAt } from '@orrery/kube/controller'
import { secretValue } from '../authn/service-account-token.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { SECRETS } from './resources.js'

const NAMESPACE = 'kube-system'
const TYPE = 'bootstrap.kubernetes.io/token'

/** Deletes expired bootstrap tokens (the token cleaner). */
export function bootstrapTokens(context: ControllerContext): Controller {
  const { client, store, clock } = context
  const mayBeToken = ({ namespace, bytes }: { namespace: string; bytes: Buffer }) =>
    namespace === NAMESPACE && bytes.includes(`"${TYPE}"`)
  return reconciler(context, {
    name: 'bootstrap-tokens',
    wakes: {
      secrets: ({ type, entry }) => (type !== 'DELETED' && mayBeToken(entry) ? keyOf(entry) : undefined),
    },
    first: () => store.page({ bucket: 'secrets', namespace: NAMESPACE, matches: mayBeToken }).entries.map(keyOf),
    async reconcile(key) {
      const { namespace = '', name } = refOf(key)
      const secret = client.get(SECRETS, namespace, name)
      if (secret === undefined || secret.type !== TYPE) return undefined
      const expiration = secretValue(secret, 'expiration')
      if (expiration === '') return undefined
      const expiresAt = new Date(expiration)
      if (expiresAt > clock.now()) return requeueAt(expiresAt)
      // An invalid expiry counts as expired: authentication refuses the token too.
      await client.delete(SECRETS, namespace, name, { uid: secret.metadata.uid })
      return undefined
    },
  })
}
