import type { KubeObject } from '@orrery/kinds'
import { keyOf, refOf } from '@orrery/kinds/values'
import { secretValue } from '../authn/service-account-token.js'
import { issueSecretToken } from '../authn/token-request.js'
import type { Entry } from '../store/types.js'
import { type Controller, type ControllerContext, changedKey, reconciler } from './controller.js'
import { SECRETS, SERVICE_ACCOUNTS } from './resources.js'

const TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/** Fills Secrets of type service account token, and deletes them with their account. */
export function serviceAccountTokens(context: ControllerContext): Controller {
  const { client, store, tokenSigner, authority } = context
  return reconciler(context, {
    name: 'service-account-tokens',
    wakes: {
      secrets: (change) => (change.type !== 'DELETED' && mayHoldToken(change.entry) ? changedKey(change) : undefined),
      serviceaccounts: ({ type, entry }) => (type === 'DELETED' ? [...tokenSecrets(entry.namespace)] : undefined),
    },
    first: () => tokenSecrets(undefined),
    async reconcile(key) {
      const { namespace = '', name } = refOf(key)
      const secret = client.get(SECRETS, namespace, name)
      if (secret === undefined || secret.type !== TYPE || secret.metadata.deletionTimestamp !== undefined) return
      const account = accountOf(context, secret)
      if (account === undefined) return client.delete(SECRETS, namespace, name, { uid: secret.metadata.uid })
      const wanted = {
        'ca.crt': authority.certificatePem,
        namespace,
        token: secretValue(secret, 'token') || issueSecretToken(account, name, tokenSigner),
      }
      await client.change(SECRETS, namespace, name, (live) => filled(live, wanted, account.metadata.uid ?? ''))
    },
  })

  function* tokenSecrets(namespace: string | undefined): Iterable<string> {
    const { entries } = store.page({ bucket: 'secrets', namespace, matches: mayHoldToken })
    for (const entry of entries) yield keyOf(entry)
  }
}

function mayHoldToken({ bytes }: Entry): boolean {
  return bytes.includes(`"${TYPE}"`)
}

/** Returns the account of a Secret; undefined if it was deleted, or another one has its name. */
function accountOf({ client }: ControllerContext, { metadata }: KubeObject): KubeObject | undefined {
  const { annotations = {}, namespace = '' } = metadata
  const account = client.get(SERVICE_ACCOUNTS, namespace, annotations[ACCOUNT_NAME] ?? '')
  const uid = annotations[ACCOUNT_UID] ?? ''
  return uid !== '' && account?.metadata.uid !== uid ? undefined : account
}

function filled(live: KubeObject, wanted: Readonly<Record<string, string>>, uid: string): KubeObject {
  const held = (live.data ?? {}) as Record<string, string>
  const data = Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  const isFilled = Object.entries(data).every(([key, value]) => held[key] === value)
  if (isFilled && live.metadata.annotations?.[ACCOUNT_UID] === uid) return live
  const annotations = { ...live.metadata.annotations, [ACCOUNT_UID]: uid }
  return { ...live, metadata: { ...live.metadata, annotations }, data: { ...held, ...data } }
}
