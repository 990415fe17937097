import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, CLUSTER_UID_ANNOTATION, KUBE_CLIENT_SIGNER } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import type { Finding } from '@orrery/kinds/values'
import type { ControllerSpec, Informer, Informers } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { type CredentialReport, clientCertificate } from '@orrery/kube/credentials'
import type { HubAddress } from '../hub-address.js'
import { certificateCondition } from './certificate-condition.js'
import { identityIn, isFor, isValid, kubeconfigData } from './hub-identity.js'
import type { HubTime } from './hub-time.js'
import { agentSubject } from './names.js'
import { HUB_BACKOFF, type RegistrationContext } from './registration-context.js'

export interface ClusterCertificateOptions {
  /** The name of the controller: the first certificate and the next one may be requested at the same time. */
  readonly name: string
  readonly hub: HubAddress
  /** Informers on the hub, with the credentials that request the certificate. */
  readonly informers: Informers
  readonly hubTime: HubTime
  /** Whether this controller acts: bootstrap credentials request the first certificate, the agent's own all others. */
  readonly isActive: (hasCertificate: boolean) => boolean
  /** The uid of the ManagedCluster that a first certificate is for. Default: it is not recorded. */
  readonly clusterUid?: () => string | undefined
  readonly isOutdated?: (request: CertificateSigningRequest) => boolean
  readonly mayRequest?: () => boolean
  readonly wakes: readonly Wake[]
  /** Reports the condition `ManagedClusterCertificateRotated`. */
  readonly report: (condition: Finding, report: CredentialReport, signal: AbortSignal) => Promise<void>
}

/** The informer of all certificate requests of a cluster: those of its agent and of its add-ons share one watch. */
export function clusterRequests(informers: Informers, clusterName: string): Informer<CertificateSigningRequest> {
  return informers.of(CertificateSigningRequest, { labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName}` })
}

/** Keeps the certificate of the cluster's agent in the hub kubeconfig Secret. */
export function clusterCertificate(context: RegistrationContext, options: ClusterCertificateOptions): ControllerSpec {
  const { names, identities, identityRef, requestRef, certificateSeconds } = context
  const { hub, informers, hubTime, clusterUid, report, ...rest } = options
  // Requests of add-ons have the label of the cluster, too.
  const labelSelector = `${CLUSTER_NAME_LABEL}=${names.clusterName},!${ADDON_NAME_LABEL}`
  const requests = clusterRequests(informers, names.clusterName)
  return clientCertificate({
    ...rest,
    request: () => ({
      ...agentSubject(names),
      signerName: KUBE_CLIENT_SIGNER,
      generateName: `${names.clusterName}-`,
      labels: { [CLUSTER_NAME_LABEL]: names.clusterName },
      expirationSeconds: certificateSeconds(),
    }),
    labelSelector,
    requests,
    store: context.options.spoke,
    secrets: identities,
    secret: identityRef,
    requestSecret: requestRef,
    additionalData: () => kubeconfigData(hub, names),
    annotations: () => {
      const uid = clusterUid?.()
      return uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid }
    },
    current: async (secret, now) => {
      const identity = await identityIn(secret)
      return isFor(identity, hub, names) && isValid(identity, now, hubTime.at(now)) ? identity : undefined
    },
    serverTime: hubTime,
    backoff: HUB_BACKOFF,
    report: (state, signal) => report(certificateCondition(state, hubTime.problem), state, signal),
  })
}
