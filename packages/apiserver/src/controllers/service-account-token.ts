import type { KubeObject } from '@orrery/kinds'
import { keyOf, refOf } from '@orrery/kinds/values'
import { secretValue } from '../authn/service-account-token.js'
import { issueSecretToken } from '../authn/token-request.js'
import type { Entry } from '../store/types.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { SECRETS, SERVICE_ACCOUNTS } from './resources.js'

const TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

/** Fills Secrets of type service account token, and deletes them with their account. */
export function serviceAccountTokens(context: ControllerContext): Controller {
  const { client, store, tokenSigner, authority } = context
  /** The token Secrets of each namespace. Reading all Secrets for each deleted account would take long. */
  const tokenSecrets = new KeysByNamespace()
  return reconciler(context, {
    name: 'service-account-tokens',
    wakes: {
      secrets({ type, entry }) {
        const key = keyOf(entry)
        if (type === 'DELETED' || !mayHoldToken(entry)) {
          tokenSecrets.delete(entry.namespace, key)
          return undefined
        }
        tokenSecrets.add(entry.namespace, key)
        return key
      },
      serviceaccounts: ({ type, entry }) => (type === 'DELETED' ? tokenSecrets.keysIn(entry.namespace) : undefined),
    },
    first() {
      const { entries } = store.page({ bucket: 'secrets', namespace: undefined, matches: mayHoldToken })
      for (const entry of entries) tokenSecrets.add(entry.namespace, keyOf(entry))
      return entries.map(keyOf)
    },
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
}

class KeysByNamespace {
  readonly #namespaces = new Map<string, Set<string>>()

  keysIn(namespace: string): string[] {
    return [...(this.#namespaces.get(namespace) ?? [])]
  }

  add(namespace: string, key: string): void {
    const keys = this.#namespaces.get(namespace) ?? new Set()
    this.#namespaces.set(namespace, keys.add(key))
  }

  delete(namespace: string, key: string): void {
    const keys = this.#namespaces.get(namespace)
    if (keys?.delete(key) === true && keys.size === 0) this.#namespaces.delete(namespace)
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
