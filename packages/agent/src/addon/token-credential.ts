import { AddOnCondition, type ManagedClusterAddOn } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { TokenCredential } from '@orrery/kube/credentials'
import type { Credential } from './credential.js'
import { type CredentialContext, storeOf } from './credential-context.js'
import { tokenAccountOf } from './driver.js'
import { additionalData, hasAdditionalData, obsoleteKeys } from './hub-kubeconfig.js'
import { ownerLabels } from './secret-claim.js'

/** The token of an add-on, of the service account that the hub created for it. */
export function tokenCredential(
  context: CredentialContext,
  credential: Credential,
  serviceAccountUid: string,
  report: TokenCredential['report'],
): TokenCredential {
  const { clusterName, hubAddress, hubTime: serverTime, options } = context
  const { addonName, secret, identity } = credential
  const { client: store, secrets } = storeOf(context, credential)
  return {
    serviceAccount: tokenAccountOf(clusterName, addonName),
    serviceAccountUid,
    expirationSeconds: options.tokenSeconds,
    store,
    secrets,
    secret,
    additionalData: () => additionalData(hubAddress, clusterName, identity),
    labels: ownerLabels({ clusterName, addonName }),
    obsoleteKeys: obsoleteKeys(identity),
    isComplete: (found) => hasAdditionalData(found, hubAddress, clusterName, identity),
    serverTime,
    report,
  }
}

const UID = /\(UID: ([^)]+)\)/

/**
 * The uid of the service account, from the message of the condition TokenInfrastructureReady. `waiting` until the hub has created
 * the account.
 */
export function serviceAccountUid(addon: ManagedClusterAddOn): { readonly uid: string } | 'waiting' | 'missing' {
  const ready = findCondition(addon.status?.conditions, AddOnCondition.TokenInfrastructureReady)
  if (ready?.status !== 'True') return 'waiting'
  const uid = UID.exec(ready.message)?.[1]
  return uid === undefined ? 'missing' : { uid }
}
